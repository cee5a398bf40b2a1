import { recordHandler, type Logger, type Store, type Write, snsTopic } from 'lineclear'
import type { LocalCloud, QueueHandler } from 'lineclear/local'
import { Callback } from './callbacks.ts'
import { entriesOf, type Entry } from './ledger.ts'
import { TABLES } from './tables.ts'

/** A kill costs an attempt, and here functions are killed all the time. */
export const MAX_ATTEMPTS = 12

export function lineclearLedger(cloud: LocalCloud, store: Store, logger: Logger): QueueHandler {
  return recordHandler(
    {
      name: 'ledger',
      store,
      schema: Callback,
      envelopes: [snsTopic(cloud.topicArn('lineclear-callbacks'))],
      id: (callback) => callback.transactionId,
      retry: { maxAttempts: MAX_ATTEMPTS },
      clients: { sqs: cloud.sqs, sns: cloud.sns },
      logger,
    },
    async (callback, ctx) => {
      const { debit, credit } = entriesOf(callback)
      await ctx.write('debit', entered(debit))
      await ctx.write('credit', entered(credit))
      await ctx.write('debit balance', added(debit))
      await ctx.write('credit balance', added(credit))
      await ctx.publish(cloud.topicArn('lineclear-receipts'), callback)
    },
  )
}

function entered({ entryId, ...entry }: Entry): Write {
  return { TableName: TABLES.lineclear.ledger, Key: { entryId }, put: entry }
}

function added({ account, amount }: Entry): Write {
  return { TableName: TABLES.lineclear.accounts, Key: { account }, add: { balance: amount } }
}
