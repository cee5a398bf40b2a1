import { Logger } from '@aws-lambda-powertools/logger'
import { emfMetrics, recordHandler } from 'lineclear'
import { dynamoDbStore } from 'lineclear/dynamodb'
import { z } from 'zod'
import { writeFenced } from './writeFenced.ts'

const Month = z.object({ account: z.string(), month: z.string(), cents: z.int() })

/** For the demonstration: where an attempt stands still. */
export const demonstration = { meanwhile: async (_object: string, _attempt: number) => {} }

/** Writes a statement into a bucket. No transaction reaches it, so it is given the fence of the attempt. */
export const handler = recordHandler(
  {
    name: 'statements',
    store: dynamoDbStore({ tableName: 'lineclear' }),
    schema: Month,
    id: ({ account, month }) => `${account}/${month}`,
    retry: { delay: '1s' },
    logger: new Logger({ serviceName: 'statements' }),
    metrics: emfMetrics(),
  },
  async ({ account, month, cents }, ctx) => {
    const object = `${process.env['BUCKET_URL']}/statements/${account}/${month}`
    const text = `${account} owes ${cents} cents for ${month} (attempt ${ctx.attempt})`
    const isWritten = await writeFenced(object, text, ctx.fence, () =>
      demonstration.meanwhile(object, ctx.attempt),
    )
    if (!isWritten) ctx.logger.warn('a later attempt has written the statement', { object })
  },
)
