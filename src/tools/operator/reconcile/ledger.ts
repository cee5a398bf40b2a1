import { ConfigError, hasCode, messageOf } from '../../../base/errors.ts'
import { kindOf } from '../../../base/kindOf.ts'
import { type CountedRow, type LedgerRow, readLedgerRow } from './ledgerRow.ts'

/** The rows that a ledger is asked for. A ledger may give more. */
export interface LedgerWindow {
  /** Rows written from then on. undefined: all. */
  readonly since: Date | undefined
  /** Rows written until then. undefined: all. */
  readonly until: Date | undefined
}

type Rows = Iterable<LedgerRow> | AsyncIterable<LedgerRow>

/**
 * Reads your own ledger. It is called after the table was read, and must read consistently: from the primary of a database, and
 * from DynamoDB with ConsistentRead. Otherwise requests that have just completed look lost.
 * @example
 * const ledger: Ledger = async function* ({ since = new Date(0) }) {
 *   for (const row of await bookings('select order_id, booked_at from bookings where booked_at >= $1', since))
 *     yield { id: row.order_id, at: row.booked_at }
 * }
 */
export type Ledger = (window: LedgerWindow) => Rows | Promise<Rows>

/** The ledger could not be read to its end, so that nothing was compared. */
export class LedgerError extends Error {
  override readonly name: string = 'LedgerError'
}

/**
 * Reads a ledger row by row.
 * @throws ConfigError for a wrong row; LedgerError when the ledger itself fails
 */
export async function* readLedger(
  ledger: Ledger,
  window: LedgerWindow,
): AsyncGenerator<CountedRow> {
  let read = 0
  try {
    const rows = await ledger(window)
    if (!isIterable(rows)) throw notIterable(rows)
    for await (const row of rows) {
      read += 1
      yield readLedgerRow(row, read)
    }
  } catch (error) {
    if (hasCode(error, 'CONFIG')) throw error
    throw new LedgerError(
      `The ledger failed after ${read} ${read === 1 ? 'row' : 'rows'}: ${messageOf(error)}. Nothing was compared.`,
      { cause: error },
    )
  }
}

function isIterable(rows: unknown): boolean {
  if (typeof rows !== 'object' || rows === null) return false
  return Symbol.iterator in rows || Symbol.asyncIterator in rows
}

function notIterable(rows: unknown): ConfigError {
  return new ConfigError(
    `ledger: expected a function that returns rows (a list, a generator or an async generator); it returned ${kindOf(rows)}`,
  )
}
