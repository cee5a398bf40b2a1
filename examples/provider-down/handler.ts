import { Logger } from '@aws-lambda-powertools/logger'
import { circuitBreaker, emfMetrics, recordHandler } from 'lineclear'
import { dynamoDbStore } from 'lineclear/dynamodb'
import { z } from 'zod'
import { BankIsDownError, transfer } from './bank.ts'

const Payout = z.object({ payoutId: z.string(), cents: z.int() })

/** While the bank is down, payouts wait on the queue and spend no attempt; one at a time is tried, until one goes through. */
export const handler = recordHandler(
  {
    name: 'payouts',
    store: dynamoDbStore({ tableName: 'lineclear' }),
    schema: Payout,
    id: ({ payoutId }) => payoutId,
    retry: { maxAttempts: 3, delay: '1s' },
    circuitBreaker: circuitBreaker({
      after: 5,
      when: (error) => error instanceof BankIsDownError,
      probeAfter: '2s',
    }),
    logger: new Logger({ serviceName: 'payouts' }),
    metrics: emfMetrics(),
  },
  async ({ payoutId, cents }, ctx) => {
    const receipt = await ctx.call('transfer', ({ idempotencyKey }) =>
      transfer(cents, idempotencyKey),
    )
    await ctx.write('book', {
      TableName: 'payouts',
      Key: { payoutId },
      set: { cents, receipt },
    })
  },
)
