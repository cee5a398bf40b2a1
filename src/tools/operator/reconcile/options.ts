import { DEFAULT_RETENTION_MS } from '../../../library/base/limits/lifetime.ts'
import { type Clock, systemClock } from '../../../library/base/clock.ts'
import { isoTime } from '../../../library/base/time.ts'
import { ConfigError } from '../../../library/base/errors.ts'
import { isObject, kindOf } from '../../../library/base/kindOf.ts'
import type { TableReader } from '../aws/tableReader.ts'
import type { EffectNames, Range, Window } from './judge.ts'
import type { Ledger } from './knownRequest.ts'

/** How many effects a request should have: exactly so many, or `least` to `most`. */
type Expected = number | Range

/** Times are epoch milliseconds. */
export interface ReconcileOptions {
  readonly table: TableReader
  /** Name of the consumer whose requests are checked. */
  readonly consumer?: string | undefined
  /** Or of the flow. Its table knows less: see `lineclear reconcile` in the handbook of operators. */
  readonly flow?: string | undefined
  /** Is called after the table was read, so that a request that completes meanwhile does not look lost. */
  readonly ledger: Ledger
  /**
   * Names of the `ctx.write` effects that the ledger counts; in a flow with their stage, as `'reserve:stock'`. With them the
   * requests that have not completed are checked too: the mark of such an effect is written in one transaction with it.
   */
  readonly effects?: readonly string[] | undefined
  /** Names of effects that may be in the ledger before the table knows it: `ctx.call`, `ctx.sql`. */
  readonly calls?: readonly string[] | undefined
  /**
   * How many effects the ledger should count for a completed request. A function says it per id (and per effect, if the rows name
   * theirs), such as 0 for a request whose guard did not hold. Without rows, an id that a message cannot carry is given as its hash. Default: the number of `effects` and `calls`, or 1; 1 for each
   * effect if the rows name theirs.
   */
  readonly expect?: Expected | ((id: string, effect: string | undefined) => Expected) | undefined
  /** The ledger gives all rows written from then on. Default: it gives all rows. */
  readonly since?: number | undefined
  /** The ledger gives all rows written until then: the time at which a file was exported. Default: it is read after the table, and gives all rows. */
  readonly until?: number | undefined
  /** The consumer's or flow's `retention`, milliseconds: rows that are older may belong to forgotten requests. Default 30 days. */
  readonly retention?: number | undefined
  /**
   * With `since`: the longest time from the first attempt of a retried request to its last one, milliseconds. The table does not
   * store the time of the first. Default 1 day.
   */
  readonly lifetime?: number | undefined
  /** Most anomalies of one kind that are read again and listed; the others are only counted. Default 1,000. */
  readonly most?: number | undefined
  /** Read units a second for the scan of the table. Default 1,000. */
  readonly rate?: number | undefined
  readonly onProgress?: (progress: ReconcileProgress) => void
  readonly clock?: Clock
}

/** How many items of the table, or rows of the ledger, are done. */
export interface ReconcileProgress {
  readonly step: 'table' | 'ledger'
  readonly done: number
}

/** The checked options. */
export interface ReconcilePlan extends Window {
  readonly table: TableReader
  readonly of: { readonly consumer: string } | { readonly flow: string }
  readonly ledger: Ledger
  readonly names: EffectNames
  readonly expect: (id: string | undefined, effect: string | undefined) => Range | undefined
  readonly retention: number
  readonly lifetime: number
  readonly most: number
  readonly rate: number
  readonly onProgress: (progress: ReconcileProgress) => void
  readonly clock: Clock
}

const DAY = 86_400_000

/** @throws ConfigError */
export function checkReconcileOptions(options: ReconcileOptions): ReconcilePlan {
  const { table, ledger, effects = [], calls = [], clock = systemClock, since, until } = options
  const { retention = DEFAULT_RETENTION_MS, lifetime = DAY, most = 1_000, rate = 1_000 } = options
  const expect = expecting(options.expect, effects.length + calls.length)
  const { onProgress = () => {} } = options
  const [of, names] = [whoseOf(options), { effects, calls }]
  for (const [name, time = 0] of Object.entries({ since, until })) {
    if (time > clock.now()) {
      throw new ConfigError(
        `reconcile: ${name}: expected a time that is past; got ${isoTime(time)}. Nothing was read`,
      )
    }
  }
  const window = { since, until, retention, lifetime }
  return { table, of, ledger, names, expect, ...window, most, rate, onProgress, clock }
}

function whoseOf({ consumer, flow }: ReconcileOptions): ReconcilePlan['of'] {
  if (consumer !== undefined && flow === undefined) return { consumer }
  if (flow !== undefined && consumer === undefined) return { flow }
  throw new ConfigError(
    `reconcile: expected consumer or flow; got ${consumer === undefined ? 'neither' : 'both'}`,
  )
}

function expecting(expect: ReconcileOptions['expect'], named: number): ReconcilePlan['expect'] {
  if (typeof expect === 'function') {
    return (id, effect) => (id === undefined ? undefined : toRange(expect(id, effect)))
  }
  if (expect !== undefined) {
    const range = toRange(expect)
    return () => range
  }
  const [total, single] = [toRange(Math.max(named, 1)), toRange(1)]
  return (_id, effect) => (effect === undefined ? total : single)
}

/** What a ledger module exports as `expect` may be anything. */
function toRange(expected: unknown): Range {
  const { least, most } = isObject(expected) ? expected : { least: expected, most: expected }
  if (isCount(least) && isCount(most) && least <= most) return { least, most }
  throw new ConfigError(
    `reconcile: expect: expected a whole number from 0, or { least, most }; got ${JSON.stringify(expected) ?? kindOf(expected)}`,
  )
}

function isCount(value: unknown): value is number {
  return Number.isSafeInteger(value) && Number(value) >= 0
}
