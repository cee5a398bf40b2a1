import { Logger } from '@aws-lambda-powertools/logger'
import { emfMetrics, newerThan, recordHandler } from 'lineclear'
import { dynamoDbStore } from 'lineclear/dynamodb'
import { z } from 'zod'

const Moved = z.object({ customerId: z.string(), address: z.string(), movedAt: z.iso.datetime() })

/** In whatever order the queues deliver the moves, the address of the last one is kept. */
export const handler = recordHandler(
  {
    name: 'addresses',
    store: dynamoDbStore({ tableName: 'lineclear' }),
    schema: Moved,
    sentAt: ({ movedAt }) => movedAt,
    logger: new Logger({ serviceName: 'addresses' }),
    metrics: emfMetrics(),
  },
  async ({ customerId, address }, ctx) => {
    const written = await ctx.write('address', {
      TableName: 'customers',
      Key: { customerId },
      set: { address },
      guard: newerThan('movedAt', ctx.sentAt),
    })
    if (!written.applied) ctx.logger.debug('an older address came late', { why: written.reason })
  },
)
