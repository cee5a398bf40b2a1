import type { Clock } from '../../base/clock.ts'
import type { Logger } from '../../base/logger.ts'
import type { Store, Condition, Item, StoreKey, Update } from '../../store/store.ts'
import { INDEX_ATTRIBUTES, indexed } from '../../claim/statusIndex.ts'
import { isoTime } from '../../base/time.ts'

/**
 * What a brake works with: the parts of its consumer.
 * @example
 * import { fakeClock } from 'lineclear/testing'
 *
 * const consumer: BrakedConsumer = { name: 'orders', store, clock: fakeClock(), logger }
 */
export interface BrakedConsumer {
  /** The consumer, or flow and stage: one brake in the table. */
  readonly name: string
  readonly store: Store
  readonly clock: Clock
  readonly logger: Logger
}

/**
 * Stops a consumer from starting handlers while what it depends on is down: `circuitBreaker()`.
 * @example const brake: Brake = circuitBreaker({ after: 20, of: (error) => String(error).includes('503') })
 */
export interface Brake {
  /** The brake of one process. */
  openFor(consumer: BrakedConsumer): BrakeGate
}

/**
 * Whether handlers may start. Times are epoch milliseconds.
 * @example
 * import { fakeClock } from 'lineclear/testing'
 *
 * const brake = circuitBreaker({ after: 20, of: (error) => String(error).includes('503') })
 * const gate: BrakeGate = brake.openFor({ name: 'orders', store, clock: fakeClock(), logger })
 */
export interface BrakeGate {
  /** Asked before records are claimed. @param wanted how many records would start */
  admit(wanted: number): Promise<Admission>
  /** Until when a claimed record has to wait after all, since the brake has been put on meanwhile. undefined: it may start. */
  heldUntil(): number | undefined
  /** Nothing was started under this admission: the next record may be the probe. */
  unused(probe: string): void
  /** A handler has completed. @param probe of the admission under which it started */
  succeeded(probe: string | undefined): Promise<void>
  /** A handler has thrown. @returns the attempt does not count, and the next one begins at that time; undefined: it counts */
  failed(error: unknown): Promise<number | undefined>
}

/**
 * What a brake lets through.
 * @example const held: Admission = { admitted: 0, probe: undefined, until: Date.now() + 30_000 }
 */
export interface Admission {
  /** How many of the wanted records may start. */
  readonly admitted: number
  /** The brake is on, and the admitted record is to show whether it can be taken off: identifies this time of being on. */
  readonly probe: string | undefined
  /** When the others should come back. */
  readonly until: number
}

/** A brake that is on. Times are epoch milliseconds. */
export interface BrakeRow {
  readonly name: string
  /** Identifies this time of being on. */
  readonly id: string
  readonly since: number
  /** One record may start then. */
  readonly probeAt: number
  /** Text of the error that put it on. */
  readonly error: string
}

const BRAKES = 'brakes'
/** All brakes have one partition key, so they are in one shard of the index. */
export const BRAKE_SHARD: string = indexed(BRAKES, 'braked', 0).statusShard
const LONGEST = 1_000

export function brakeKey(name: string): StoreKey {
  return { pk: BRAKES, sk: name }
}

export function writeBrake({ name, id, since, probeAt, error }: BrakeRow): Item & StoreKey {
  return {
    ...brakeKey(name),
    st: 'on',
    id,
    since,
    probeAt,
    error: error.slice(0, LONGEST),
    created: isoTime(since),
    ...indexed(BRAKES, 'braked', since),
  }
}

/** Where the row is there already, and the brake is off. */
export function putOnAgain(row: BrakeRow): Update {
  const { pk: _pk, sk: _sk, ...set } = writeBrake(row)
  return {
    key: brakeKey(row.name),
    where: [{ field: 'st', is: '=', value: 'off' }],
    set: set as NonNullable<Update['set']>,
  }
}

/** Of all processes only the one whose write is applied may probe. */
export function moveProbe({ name, id, probeAt }: BrakeRow, to: number): Update {
  const where: readonly Condition[] = [
    { field: 'id', is: '=', value: id },
    { field: 'st', is: '=', value: 'on' },
    // @protects one process probes at a time
    { field: 'probeAt', is: '=', value: probeAt },
  ]
  return { key: brakeKey(name), where, set: { probeAt: to } }
}

export function takeOff({ name, id }: BrakeRow): Update {
  // @protects a late probe does not take off a brake that was put on again
  // @without []
  const where: readonly Condition[] = [{ field: 'id', is: '=', value: id }]
  return { key: brakeKey(name), where, set: { st: 'off' }, remove: INDEX_ATTRIBUTES }
}

/** @returns undefined: the brake is off, or the item cannot be read */
export function readBrake(item: Item | undefined): BrakeRow | undefined {
  const { pk, sk, st, id, since, probeAt, error } = item ?? {}
  if (pk !== BRAKES || typeof sk !== 'string' || st !== 'on' || typeof id !== 'string') return
  if (typeof since !== 'number' || typeof probeAt !== 'number' || typeof error !== 'string') return
  return { name: sk, id, since, probeAt, error }
}
