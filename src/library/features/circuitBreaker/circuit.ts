import type { Clock } from '../../base/clock.ts'
import type { Circuit } from '../../run/deliver/feature.ts'
import type { Logger } from '../../base/logger.ts'
import type { Store, Condition, Item, StoreKey, Update } from '../../protocol/store/store.ts'
import { INDEX_ATTRIBUTES, indexed } from '../../protocol/claim/statusIndex.ts'
import { isoTime } from '../../base/time.ts'

/**
 * What a circuit breaker works with: the parts of its consumer.
 * @example
 * import { fakeClock } from 'lineclear/testing'
 *
 * const consumer: GuardedConsumer = { name: 'orders', store, clock: fakeClock(), logger }
 */
export interface GuardedConsumer {
  /** The consumer, or flow and stage: one circuit in the table. */
  readonly name: string
  readonly store: Store
  readonly clock: Clock
  readonly logger: Logger
}

/**
 * Stops a consumer from starting handlers while what it depends on is down: `circuitBreaker()`.
 * @example const breaker: CircuitBreaker = circuitBreaker({ after: 20, when: (error) => String(error).includes('503') })
 */
export interface CircuitBreaker {
  /** The circuit breaker of one process. */
  openFor(consumer: GuardedConsumer): Circuit
}

/** An open circuit. Times are epoch milliseconds. */
export interface CircuitRow {
  readonly name: string
  /** Identifies this time of being open. */
  readonly id: string
  readonly since: number
  /** One record may start then. */
  readonly probeAt: number
  /** Text of the error that opened it. */
  readonly error: string
}

const CIRCUITS = 'circuits'
/** All circuits have one partition key, so they are in one shard of the index. */
export const CIRCUIT_SHARD: string = indexed(CIRCUITS, 'circuitOpen', 0).statusShard
const LONGEST = 1_000

export function circuitKey(name: string): StoreKey {
  return { pk: CIRCUITS, sk: name }
}

export function writeCircuit({ name, id, since, probeAt, error }: CircuitRow): Item & StoreKey {
  return {
    ...circuitKey(name),
    st: 'open',
    id,
    since,
    probeAt,
    error: error.slice(0, LONGEST),
    created: isoTime(since),
    ...indexed(CIRCUITS, 'circuitOpen', since),
  }
}

/** Where the row is there already, and says closed. */
export function openAgain(row: CircuitRow): Update {
  const { pk: _pk, sk: _sk, ...set } = writeCircuit(row)
  return {
    key: circuitKey(row.name),
    where: [{ field: 'st', is: '=', value: 'closed' }],
    set: set as NonNullable<Update['set']>,
  }
}

/** Only the process whose write is applied may probe. */
export function moveProbe({ name, id, probeAt }: CircuitRow, to: number): Update {
  const where: readonly Condition[] = [
    { field: 'id', is: '=', value: id },
    { field: 'st', is: '=', value: 'open' },
    // @protects one process probes at a time
    { field: 'probeAt', is: '=', value: probeAt },
  ]
  return { key: circuitKey(name), where, set: { probeAt: to } }
}

export function closeCircuit({ name, id }: CircuitRow): Update {
  // @protects a late probe does not close a circuit that has opened again
  // @without []
  const where: readonly Condition[] = [{ field: 'id', is: '=', value: id }]
  return { key: circuitKey(name), where, set: { st: 'closed' }, remove: INDEX_ATTRIBUTES }
}

/** @returns undefined: the circuit is closed, or the item cannot be read */
export function readCircuit(item: Item | undefined): CircuitRow | undefined {
  const { pk, sk, st, id, since, probeAt, error } = item ?? {}
  if (pk !== CIRCUITS || typeof sk !== 'string' || st !== 'open' || typeof id !== 'string') return
  if (typeof since !== 'number' || typeof probeAt !== 'number' || typeof error !== 'string') return
  return { name: sk, id, since, probeAt, error }
}
