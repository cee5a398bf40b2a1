import type { Item } from '../../../library/protocol/store/store.ts'
import { readToken, type Token } from '../../../library/protocol/claim/token/token.ts'
import { itemKey } from '../../../library/entries/sweeper/address.ts'
import { splitId } from '../text/itemId.ts'
import { damagedItem } from '../../../library/base/format.ts'
import { timeIn } from '../text/humanTime.ts'
import { ConfigError, hasCode, messageOf } from '../../../library/base/errors.ts'
import { kindOf, isObject } from '../../../library/base/kindOf.ts'
import { TIME_EXPECTED, type Time, toTime } from '../../../library/base/time.ts'

export interface KnownRequest {
  /** Requests and ledger rows with the same text belong together. */
  readonly joinKey: string
  /** undefined: only a digest of it is stored, as for most requests of a flow that have ended. */
  readonly id: string | undefined
  /** Partition key of the item that shows it. */
  readonly pk: string
  readonly state: RequestState
  /** Names of the effects that it has certainly made, for a request that has not completed. */
  readonly marks: readonly string[]
  /** It has made no effect before then, epoch milliseconds. undefined: not known. */
  readonly began: number | undefined
  /** Whether `began` is the claim of a later attempt, so that an earlier one may have made effects before. */
  readonly retried: boolean
  /** What is stored here was made by then, epoch milliseconds. undefined: not known. */
  readonly settledBy: number | undefined
  /** An earlier life of the request, whose end was forgotten after its retention, may have made effects too. */
  readonly mayHaveRunBefore: boolean
}

/**
 * `completed`: its handler ended well. `resolved`: an operator ended it. `reset`: its run of a flow was superseded or reset.
 * `dead`: dead-lettered, or parked. `open`: an attempt runs, or is to come.
 */
export type RequestState = 'completed' | 'resolved' | 'reset' | 'dead' | 'open'

export function tokenPrefix(consumer: string): string {
  return `lock#${consumer}/`
}

/**
 * The request of a token: none or one, because other items may have the partition of a token.
 * @throws StoreUnavailableError for a token of a newer version: counting it as missing would make its rows look foreign
 */
export function tokenRequests(item: Item): readonly KnownRequest[] {
  if (item['sk'] !== 'token') return []
  const token = readToken(item)
  if (token === undefined) throw damagedItem(`the token ${itemKey(item).pk}`)
  const id = splitId(token.pk).rest
  const state = stateOf(token)
  return [
    {
      joinKey: id,
      id,
      pk: token.pk,
      state,
      marks: [...token.applied],
      began: timeIn(item['created']),
      retried: token.fence > 1,
      settledBy: timeIn(item[state === 'open' ? 'expectedCompletion' : 'actualCompletion']),
      mayHaveRunBefore: mayHaveRunBefore(token),
    },
  ]
}

function stateOf(token: Token): RequestState {
  const isResolved = token.status === 'complete' && token.attemptId.startsWith(BY_OPERATOR)
  return isResolved ? 'resolved' : STATES[token.status]
}

const STATES: Readonly<Record<Token['status'], RequestState>> = {
  complete: 'completed',
  error: 'dead',
  unknown: 'dead',
  ending: 'dead',
  inProgress: 'open',
  dying: 'open',
}

/** The attempt ids that operator commands write begin with it. */
const BY_OPERATOR = 'operator-'

/**
 * A claim after the retention counts attempts from 1 again, and keeps the fence. A released attempt and one that did not count
 * look the same, and so does a request that an operator has released.
 */
function mayHaveRunBefore({ fence, attempt, death }: Token): boolean {
  return death === 0 && fence > Math.max(attempt, 1)
}

/** The rows that a ledger is asked for. A ledger may give more. */
interface LedgerWindow {
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

/**
 * One row of your ledger.
 * @example const row: LedgerRow = { id: 'order-17', at: '2026-01-31T12:00:00Z' }
 */
export interface LedgerRow {
  /** The request: what `id(payload)` returned, or its `uniquerequestid`. */
  readonly id: string | number | bigint
  /** How many effects the row counts: a whole number, also as a text; negative for a reversal. Default 1. */
  readonly count?: number | bigint | string | undefined
  /** Name of the effect, if the ledger has rows of several effects that are to be counted apart. Then every row has one. */
  readonly effect?: string | undefined
  /** When the row was written, not when the money is due. Rows without a time are never reported as `foreign`. */
  readonly at?: Time | undefined
}

/** A checked row. `at`: epoch milliseconds. */
export interface CountedRow {
  readonly id: string
  readonly count: number
  readonly effect: string | undefined
  readonly at: number | undefined
}

/** @throws ConfigError naming the row and what is wrong with it */
function readLedgerRow(given: unknown, nth: number): CountedRow {
  const refuse: Refuse = (what, expected, got) => {
    throw new ConfigError(`ledger: row ${nth}: ${what}expected ${expected}; got ${got}`)
  }
  if (!isObject(given)) return refuse('', 'an object such as { id }', kindOf(given))
  const { id, count, effect, at } = given
  return {
    id: readId(id, refuse),
    count: readCount(count, refuse),
    effect: readEffect(effect, refuse),
    at: readTime(at, refuse),
  }
}

type Refuse = (what: string, expected: string, got: string) => never

function readId(id: unknown, refuse: Refuse): string {
  if (typeof id === 'string' && id !== '') return id
  if (typeof id === 'bigint' || Number.isSafeInteger(id)) return String(id)
  return refuse('id: ', 'a text, or a whole number of at most 2^53 - 1', kindOf(id))
}

function readCount(count: unknown, refuse: Refuse): number {
  if (count === undefined) return 1
  const number = typeof count === 'string' && !/^[+-]?\d+$/.test(count) ? Number.NaN : Number(count)
  const isNumeric = ['number', 'bigint', 'string'].includes(typeof count)
  if (isNumeric && Number.isSafeInteger(number)) return number
  return refuse('count: ', 'a whole number', quotedText(count))
}

function readEffect(effect: unknown, refuse: Refuse): string | undefined {
  if (effect === undefined || (typeof effect === 'string' && effect !== '')) return effect
  return refuse('effect: ', 'a name', kindOf(effect))
}

function readTime(at: unknown, refuse: Refuse): number | undefined {
  if (at === undefined) return undefined
  return toTime(at) ?? refuse('at: ', TIME_EXPECTED, quotedText(at))
}

function quotedText(given: unknown): string {
  return typeof given === 'string' ? JSON.stringify(given) : kindOf(given)
}
