import * as option from '../../../base/options.ts'
import { DEFAULT_RETENTION_MS } from '../../../base/limits/lifetime.ts'
import { type Clock, systemClock } from '../../../base/clock.ts'
import { type Duration, TIME_EXPECTED, type Time, toTime } from '../../../base/time.ts'
import { ConfigError } from '../../../base/errors.ts'
import { isObject, kindOf } from '../../../base/kindOf.ts'
import type { TableReader } from '../aws/tableReader.ts'
import type { EffectNames, Range } from './judge.ts'
import type { Ledger } from './knownRequest.ts'
import type { Item } from '../../../store/store.ts'

/** How many effects a request should have: exactly so many, or `least` to `most`. */
type Expected = number | { readonly least: number; readonly most: number }

/** Options of {@link reconcile}: `consumer` or `flow`, and what the ledger counts. */
export interface ReconcileOptions {
  /** The table of the store; tests give a `memoryStore()`. */
  readonly table: TableReader | MemoryTable
  /** Name of the consumer whose requests are checked. */
  readonly consumer?: string | undefined
  /** Name of the flow whose requests are checked. Its table knows less: see `lineclear reconcile` in the handbook of operators. */
  readonly flow?: string | undefined
  /** Reads your ledger. It is called after the table was read, so that a request that completes meanwhile does not look lost. */
  readonly ledger: Ledger
  /**
   * Names of the `ctx.write` effects that the ledger counts; in a flow with their stage, as `'reserve:stock'`. With them the
   * requests that have not completed are checked too: the mark of such an effect is written in one transaction with it.
   */
  readonly effects?: readonly string[] | undefined
  /** Names of effects that may stand before the table knows it: `ctx.call`, `ctx.sql`. */
  readonly calls?: readonly string[] | undefined
  /**
   * How many effects the ledger should count for a completed request. A function says it per id (and per effect, if the rows name
   * theirs), such as 0 for a request whose guard did not hold. Without rows, an id that a message cannot carry is given as its hash. Default: the number of `effects` and `calls`, or 1; 1 for each
   * effect if the rows name theirs.
   * @example expect: (id) => (id.startsWith('refund-') ? 2 : 1)
   */
  readonly expect?: Expected | ((id: string, effect: string | undefined) => Expected) | undefined
  /** The ledger gives all rows written from then on. Default: it gives all rows. */
  readonly since?: Time | undefined
  /** The ledger gives all rows written until then: the time at which a file was exported. Default: it is read after the table, and gives all rows. */
  readonly until?: Time | undefined
  /** The consumer's or flow's `retention`: rows that are older may belong to forgotten requests. Default 30 days. */
  readonly retention?: Duration | undefined
  /**
   * With `since`: the longest time from the first attempt of a retried request to its last one. The table does not store the
   * time of the first. Default 1 day.
   */
  readonly lifetime?: Duration | undefined
  /** Most anomalies of one kind that are read again and listed; the others are only counted. Default 1,000. */
  readonly most?: number | undefined
  /** Read units a second for the scan of the table. Default 1,000. */
  readonly rate?: number | undefined
  /** Segments of the table that are read concurrently, 1 to 100. Default 4. */
  readonly segments?: number | undefined
  /** Called from time to time. */
  readonly onProgress?: ((progress: ReconcileProgress) => void) | undefined
  /** Stops the check; `reconcile` then rejects with its reason. */
  readonly signal?: AbortSignal | undefined
  /** A clock for tests. Default: the clock of the machine. */
  readonly clock?: Clock | undefined
}

/** How far a check is: items of the table, or rows of the ledger. */
export interface ReconcileProgress {
  /** What is being done. */
  readonly step: 'table' | 'ledger'
  /** How many are done. */
  readonly done: number
}

/** The checked options. Times are epoch milliseconds. */
export interface Plan {
  readonly table: TableReader
  readonly of: { readonly consumer: string } | { readonly flow: string }
  readonly ledger: Ledger
  readonly names: EffectNames
  readonly expect: (id: string | undefined, effect: string | undefined) => Range | undefined
  readonly since: number | undefined
  readonly until: number | undefined
  readonly retention: number
  readonly lifetime: number
  readonly most: number
  readonly rate: number
  readonly segments: number
  readonly onProgress: (progress: ReconcileProgress) => void
  readonly signal: AbortSignal | undefined
  readonly clock: Clock
}

const aName = option.matching(/^[^/]+$/s, 'a name')
const names: option.Check = {
  expected: 'a list of names',
  isRight: (value) =>
    Array.isArray(value) && value.every((name) => typeof name === 'string' && name !== ''),
}

const OPTIONS: option.Checks<ReconcileOptions> = {
  table: option.required({
    expected: 'dynamoDbReader({ tableName }) or a memoryStore()',
    isRight: (value) =>
      option.hasMembers(value, 'scan', 'partition') || option.hasMembers(value, 'items'),
  }),
  consumer: aName,
  flow: aName,
  ledger: option.required(option.aFunction('async function* () { yield { id } }')),
  effects: names,
  calls: names,
  expect: option.anything,
  since: option.anything,
  until: option.anything,
  retention: option.anything,
  lifetime: option.anything,
  most: option.whole(1, 1_000_000),
  rate: option.whole(1, 1_000_000),
  segments: option.whole(1, 100),
  onProgress: option.aFunction('({ step, done }) => {}'),
  signal: option.having('an AbortSignal', 'aborted'),
  clock: option.aClock,
}

/** @throws ConfigError */
export function readOptions(options: ReconcileOptions): Plan {
  option.checkOptions('reconcile', options, OPTIONS)
  const { table, ledger, effects = [], calls = [], clock = systemClock } = options
  const { most = 1_000, rate = 1_000, segments = 4, onProgress = () => {} } = options
  return {
    table: isTableReader(table) ? table : memoryReader(table),
    of: whoseOf(options),
    ledger,
    names: { effects, calls },
    expect: expecting(options.expect, effects.length + calls.length),
    since: timeOf('since', options.since, clock.now()),
    until: timeOf('until', options.until, clock.now()),
    retention: option.toMilliseconds(
      'reconcile: retention',
      options.retention ?? DEFAULT_RETENTION_MS,
    ),
    lifetime: option.toMilliseconds('reconcile: lifetime', options.lifetime ?? '1d'),
    most,
    rate,
    segments,
    onProgress,
    signal: options.signal,
    clock,
  }
}

function whoseOf({ consumer, flow }: ReconcileOptions): Plan['of'] {
  if (consumer !== undefined && flow === undefined) return { consumer }
  if (flow !== undefined && consumer === undefined) return { flow }
  throw new ConfigError(
    `reconcile: expected consumer or flow; got ${consumer === undefined ? 'neither' : 'both'}`,
  )
}

function timeOf(name: string, given: Time | undefined, now: number): number | undefined {
  if (given === undefined) return undefined
  const time = toTime(given)
  if (time !== undefined && time > now) {
    throw new ConfigError(
      `reconcile: ${name}: expected a time that is past; got ${new Date(time).toISOString()}. Nothing was read`,
    )
  }
  if (time !== undefined) return time
  throw new ConfigError(`reconcile: ${name}: expected ${TIME_EXPECTED}; got ${kindOf(given)}`)
}

function expecting(expect: ReconcileOptions['expect'], named: number): Plan['expect'] {
  if (typeof expect === 'function') {
    return (id, effect) => (id === undefined ? undefined : toRange(expect(id, effect)))
  }
  if (expect !== undefined) {
    const range = toRange(expect)
    return () => range
  }
  const total = exactly(Math.max(named, 1))
  const single = exactly(1)
  return (_id, effect) => (effect === undefined ? total : single)
}

function exactly(number: number): Range {
  return { least: number, most: number }
}

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

/** A store whose items can be listed: `memoryStore()`. */
interface MemoryTable {
  /** Every item of the framework's own table. */
  items(): readonly Item[]
}

function isTableReader(table: TableReader | MemoryTable): table is TableReader {
  return 'scan' in table
}

function memoryReader({ items }: MemoryTable): TableReader {
  return {
    partition: async (pk) => items().filter((item) => item['pk'] === pk),
    async *scan({ prefix = '', segment, onPage } = {}) {
      // The whole table is its first segment.
      if (segment !== undefined && segment.index > 0) return
      const all = items()
      onPage?.({ looked: all.length, readUnits: 0 })
      yield all.filter(({ pk }) => typeof pk === 'string' && pk.startsWith(prefix))
    },
    count: async () => items().length,
  }
}
