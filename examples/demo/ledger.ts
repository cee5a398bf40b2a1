import { randomUUID } from 'node:crypto'
import type { Callback } from './callbacks.ts'

/** One side of a double entry. Credits are positive, debits negative, so that a sound ledger sums up to zero. */
export interface Entry {
  /** New for each write: an entry written twice is in the ledger twice. */
  readonly entryId: string
  readonly transactionId: string
  readonly account: string
  /** Cents. */
  readonly amount: number
}

/** The account of the payment processor: what it owes us. */
export const PROCESSOR = 'processor'

export function entriesOf({ transactionId, account, amount }: Callback): {
  readonly debit: Entry
  readonly credit: Entry
} {
  return {
    debit: { entryId: randomUUID(), transactionId, account: PROCESSOR, amount: -amount },
    credit: { entryId: randomUUID(), transactionId, account: `customer/${account}`, amount },
  }
}
