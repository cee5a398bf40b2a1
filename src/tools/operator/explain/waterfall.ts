import type { CallFacts } from './factParts.ts'
import type { EventKind, Outcome } from './timelineEvent.ts'

/** What happened over time, ready to be drawn. Times are epoch milliseconds; in JSON they are ISO 8601. Nothing is later than now. */
export interface Waterfall {
  /** The first and the last time of all bars and marks. undefined: there are none. */
  readonly from: number | undefined
  readonly to: number | undefined
  /** Consumers, stages, steps and names of keys, in the order in which they begin. */
  readonly lanes: readonly string[]
  /** By their beginning. */
  readonly bars: readonly Bar[]
  /** What happened in a lane beside its attempts, by its time. */
  readonly marks: readonly LaneMark[]
}

/**
 * - `attempt`: a handler ran, or runs.
 * - `lease`: what was left of the lease of a lost attempt, during which nothing else could run.
 * - `delay`: a retry, a delayed message or a delivery that came too early waited for its time.
 * - `wait`: for the answer of a step, or on the queue.
 */
export interface Bar {
  readonly lane: string
  readonly kind: 'attempt' | 'lease' | 'delay' | 'wait'
  readonly from: number
  /** Its end; now, while it is `open`. */
  readonly to: number
  /** It has not ended. */
  readonly open: boolean
  /** The planned end of an open bar, such as the end of its lease; the end of a lease. */
  readonly until: number | undefined
  /** How the attempt ended. undefined: it has not ended, or how it ended is not known. */
  readonly outcome: Outcome | undefined
  readonly attempt: number | undefined
  readonly request: string | undefined
  /** In words: `attempt 2: failed`. */
  readonly label: string
  /** Why it ended so, such as the error. */
  readonly why: string | undefined
  readonly marks: readonly Mark[]
}

export interface Mark {
  /** undefined: it is known that it happened in this bar, and not when. */
  readonly at: number | undefined
  readonly kind: 'effect' | 'call' | 'send' | EventKind
  /** State of an outside call; undefined for other marks. */
  readonly state: CallFacts['state'] | undefined
  /** The `uniquerequestid` of a message that was sent; the SQS message id of a delivery. */
  readonly messageId: string | undefined
  readonly label: string
}

export interface LaneMark extends Mark {
  readonly lane: string
  readonly request: string | undefined
}
