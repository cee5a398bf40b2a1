import { ConfigError } from '../../../base/errors.ts'
import { isObject, kindOf } from '../../../base/kindOf.ts'
import { TIME_EXPECTED, type Time, toTime } from '../../../base/time.ts'

/**
 * One row of your ledger.
 * @example const row: LedgerRow = { id: 'order-17', at: '2026-01-31T12:00:00Z' }
 */
export interface LedgerRow {
  /** The request: what `id(payload)` returned, or its `uniquerequestid`. */
  readonly id: string | number | bigint
  /** How many effects the row stands for: a whole number, also as a text; negative for a reversal. Default 1. */
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
export function readLedgerRow(given: unknown, nth: number): CountedRow {
  const where = `ledger: row ${nth}`
  if (!isObject(given)) {
    throw new ConfigError(`${where}: expected an object such as { id }; got ${kindOf(given)}`)
  }
  const { id, count, effect, at } = given
  return {
    id: readId(where, id),
    count: readCount(where, count),
    effect: readEffect(where, effect),
    at: readTime(where, at),
  }
}

function readId(where: string, id: unknown): string {
  if (typeof id === 'string' && id !== '') return id
  if (typeof id === 'bigint' || Number.isSafeInteger(id)) return String(id)
  throw new ConfigError(
    `${where}: id: expected a text, or a whole number of at most 2^53 - 1; got ${kindOf(id)}`,
  )
}

function readCount(where: string, count: unknown): number {
  if (count === undefined) return 1
  const number = typeof count === 'string' && !/^[+-]?\d+$/.test(count) ? Number.NaN : Number(count)
  const isNumeric = ['number', 'bigint', 'string'].includes(typeof count)
  if (isNumeric && Number.isSafeInteger(number)) return number
  throw new ConfigError(
    `${where}: count: expected a whole number; got ${typeof count === 'string' ? JSON.stringify(count) : kindOf(count)}`,
  )
}

function readEffect(where: string, effect: unknown): string | undefined {
  if (effect === undefined || (typeof effect === 'string' && effect !== '')) return effect
  throw new ConfigError(`${where}: effect: expected a name; got ${kindOf(effect)}`)
}

function readTime(where: string, at: unknown): number | undefined {
  if (at === undefined) return undefined
  const time = toTime(at)
  if (time !== undefined) return time
  throw new ConfigError(
    `${where}: at: expected ${TIME_EXPECTED}; got ${typeof at === 'string' ? JSON.stringify(at) : kindOf(at)}`,
  )
}
