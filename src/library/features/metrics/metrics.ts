import type { Settlement } from '../../protocol/claim/settlement.ts'
import type { Store } from '../../protocol/store/store.ts'

/**
 * Receives figures. Powertools Metrics fits this interface: use a separate instance, because everything that it holds is
 * published together with Lineclear's figures. A report is synchronous: dimensions, metrics, publish.
 */
export interface Metrics {
  addDimension(name: string, value: string): unknown
  /** Called once for each value: one report may hold several under one name. */
  addMetric(name: string, unit: 'Count' | 'Milliseconds', value: number): unknown
  publishStoredMetrics(): unknown
}

export type Dimensions = Readonly<Record<string, string>>

export interface Figure {
  readonly name: MetricName
  readonly unit: 'Count' | 'Milliseconds'
  readonly value: number
}

export const count = (name: MetricName, value: number): Figure => ({ name, unit: 'Count', value })
export const milliseconds = (name: MetricName, value: number): Figure => ({
  name,
  unit: 'Milliseconds',
  value,
})

/**
 * A dimension of every metric: two environments of one account have a table each, and the alarms of the one are not about the
 * other. A store in memory has no table.
 */
export function tableDimension({ source }: Pick<Store, 'source'>): Dimensions {
  // @protects a sweeper that runs does not hide that the one of another table is silent
  // @without return {} @tests test/features/metrics
  return source === undefined ? {} : { table: source.tableName }
}

/**
 * Reports synchronously: concurrent invocations of one process share `metrics`, and one would otherwise publish the figures of
 * another.
 */
export function report(metrics: Metrics, dimensions: Dimensions, figures: readonly Figure[]): void {
  for (const [name, value] of Object.entries(dimensions)) metrics.addDimension(name, value)
  for (const { name, unit, value } of figures) metrics.addMetric(name, unit, value)
  metrics.publishStoredMetrics()
}

/** How a delivery ended: its kind. What a circuit breaker holds back and two reasons of dead letters are metrics of their own. */
export type EndMetric = Settlement['kind'] | 'circuitOpen' | 'unknown' | 'rejected'

/** Reported by consumers and by the stages of flows, for each invocation. */
export type RecordMetric =
  | EndMetric
  | 'received'
  | 'started'
  | 'lostAttempts'
  /** Calls on `ctx` after its attempt had ended: their effects did not happen. */
  | 'lateCalls'
  /** Attempts that asked for effects by other names than the one before: an effect may have happened twice. */
  | 'otherNames'
  /** Deaths whose `onFailure` was given up: they wait for an operator. */
  | 'untold'
  /** Duplicates by their id whose payload differs from the one that has run. They count as duplicates, too. */
  | 'otherPayload'
  | 'attempt'
  | 'duration'
  | 'latency'

/** Reported by functions and keys (`name`), for each call: whether it ran, and how it ended. */
export type CallMetric =
  | 'started'
  | 'completed'
  /** The call ended, but another call had taken over its key, and the end of that call counts. */
  | 'superseded'
  /** The call ended, but its end could not be stored. */
  | 'notStored'
  /** The work is done, and its answer is an error that later callers receive. */
  | 'terminal'
  /** The call has just failed, and waits for an operator. */
  | 'parked'
  /** The call did not run, because an earlier failure still waits for an operator. */
  | 'blocked'
  | 'unknown'
  | 'released'
  | 'replayed'
  /** Another call holds the key. */
  | 'inProgress'
  | 'conflict'
  | 'missingKey'
  /** The call did not run, because an option is wrong or missing. */
  | 'misconfigured'
  | 'unavailable'
  /** The call has taken over the key of a call that ended without a word. */
  | 'lostAttempts'
  /** The same counts as for records. */
  | 'lateCalls'
  | 'otherNames'

/** Reported by `onceForever` (`name`), for each call. */
export type OnceMetric =
  | 'acquired'
  | 'queued'
  /** An event that was accepted before, and perhaps not queued. */
  | 'queuedAgain'
  | 'duplicate'
  | 'conflict'
  /** The event is accepted. Its duplicate or the sweeper queues it. */
  | 'notQueued'
  | 'unavailable'

/** Reported by the sweeper, by its table alone, also when it is 0. */
export type SweepMetric =
  | 'missingTasks'
  | 'waitingTasks'
  | 'inProgress'
  /** Consumers and stages whose circuit is open. */
  | 'openCircuits'
  | 'oldestDelayed'

type MetricName = RecordMetric | CallMetric | OnceMetric | SweepMetric
