import { randomUUID } from 'node:crypto'
import { DeleteTableCommand } from '@aws-sdk/client-dynamodb'
import type { LocalCloud } from 'lineclear/local'

/** The names are of this run only: an engine that was already running may still hold the tables of another run. */
const RUN = `demo-${randomUUID().slice(0, 8)}`

type Tables<Name extends string> = Readonly<Record<Name, string>>

export const TABLES: {
  readonly naive: Tables<'ledger' | 'accounts' | 'receipts' | 'transactions'>
  readonly lineclear: Tables<'ledger' | 'accounts' | 'receipts' | 'tokens'>
  readonly late: Tables<'ledger' | 'powertools'>
} = {
  naive: {
    ledger: `${RUN}-naive-ledger`,
    accounts: `${RUN}-naive-accounts`,
    receipts: `${RUN}-naive-receipts`,
    /** The mark of what is booked. */
    transactions: `${RUN}-naive-transactions`,
  },
  lineclear: {
    ledger: `${RUN}-lineclear-ledger`,
    accounts: `${RUN}-lineclear-accounts`,
    receipts: `${RUN}-lineclear-receipts`,
    /** The one table of the framework. */
    tokens: `${RUN}-lineclear-tokens`,
  },
  late: {
    ledger: `${RUN}-late-ledger`,
    powertools: `${RUN}-late-powertools`,
  },
}

export async function deleteTables({ dynamodb }: LocalCloud): Promise<void> {
  const names = Object.values(TABLES).flatMap((tables) => Object.values<string>(tables))
  await Promise.all(names.map((TableName) => dynamodb.send(new DeleteTableCommand({ TableName }))))
}
