import type { Settlement } from '../../claim/settlement.ts'

/** How a delivery ended: its kind. What a brake holds back and two reasons of dead letters are metrics of their own. */
export type EndMetric = Settlement['kind'] | 'braked' | 'unknown' | 'rejected'

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
  /** Duplicates by their id whose payload differs from the one that has run. They count as duplicates, too. */
  | 'otherPayload'
  | 'attempt'
  | 'duration'
  | 'latency'

/** Reported by functions and keys (`scope`), for each call: whether it ran, and how it ended. */
export type CallMetric =
  | 'started'
  | 'completed'
  /** The call ended, but another call had taken over its key, and the end of that call counts. */
  | 'superseded'
  /** The call ended, but its end could not be stored. */
  | 'notStored'
  /** The work is done, and its answer is an error that later callers receive. */
  | 'rejected'
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
  /** As of records. */
  | 'lateCalls'
  | 'otherNames'

/** Reported by `onceForever` (`scope`), for each call. */
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

/** Reported by the sweeper, without a dimension, also when it is 0. */
export type SweepMetric =
  | 'missingTasks'
  | 'waitingTasks'
  | 'inProgress'
  /** Consumers and stages whose brake is on. */
  | 'braked'
  | 'oldestDelayed'

export type MetricName = RecordMetric | CallMetric | OnceMetric | SweepMetric
