import type { Clock } from '../../base/clock.ts'
import type { Logger } from '../../base/logger.ts'
import type { Store } from '../../store/store.ts'

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
