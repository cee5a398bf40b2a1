import { recordHandler, type Logger, type Store, snsTopic } from 'lineclear'
import type { LocalCloud, QueueHandler } from 'lineclear/local'
import { Callback } from './callbacks.ts'
import { MAX_ATTEMPTS } from './lineclearLedger.ts'
import { TABLES } from './tables.ts'

/** Hands a receipt to its customer. Here the receipt is a count. */
export function lineclearReceipts(cloud: LocalCloud, store: Store, logger: Logger): QueueHandler {
  return recordHandler(
    {
      name: 'receipts',
      store,
      schema: Callback,
      envelopes: [snsTopic(cloud.topicArn('lineclear-receipts'))],
      retry: { maxAttempts: MAX_ATTEMPTS },
      clients: { sqs: cloud.sqs },
      logger,
    },
    async ({ transactionId }, ctx) => {
      await ctx.write('take', {
        TableName: TABLES.lineclear.receipts,
        Key: { transactionId },
        add: { taken: 1 },
      })
    },
  )
}
