import type { EventKind, Outcome } from './timelineEvent.ts'

/**
 * What happened to a request over time, ready to be drawn. Times are epoch milliseconds; in JSON they are ISO 8601.
 * @example
 * { from: 0, to: 9_000, lanes: ['orders'], bars: [{ lane: 'orders', kind: 'attempt', from: 0, to: 400, … }], marks: [] }
 */
export interface Waterfall {
  /** The first and the last time of all bars and marks. */
  readonly from: number
  readonly to: number
  /** Consumers, stages, steps and keys, in the order in which they begin. */
  readonly lanes: readonly string[]
  /** By their beginning. Bars of one lane overlap only where two of its requests or a lease do. */
  readonly bars: readonly Bar[]
  /** What happened while no attempt ran in its lane, or has no time. */
  readonly marks: readonly LaneMark[]
  /** Events whose time is not known: they are in no bar. */
  readonly untimed: number
}

/**
 * - `attempt`: a handler ran, or runs.
 * - `lease`: what was left of the lease of an attempt that was lost: nothing else could run.
 * - `delay`: a retry, a delayed message or a deferred delivery waited for its time.
 * - `wait`: an awaited step, a key that another request held, or a message that was on its queue.
 */
interface Bar {
  readonly lane: string
  readonly kind: 'attempt' | 'lease' | 'delay' | 'wait'
  readonly from: number
  /** At the latest; of an `open` bar: now, or its planned end if that is later. */
  readonly to: number
  /** It has not ended. */
  readonly open: boolean
  /** Of an attempt that has ended. undefined: it has not, or how it ended is not known. */
  readonly outcome: Outcome | undefined
  readonly attempt: number | undefined
  readonly request: string | undefined
  /** In words: `attempt 2: failed`, `waits for inspected`. */
  readonly label: string
  /** Why it ended so, such as the error. */
  readonly why: string | undefined
  readonly marks: readonly Mark[]
}

interface Mark {
  /** undefined: that it happened is known, and not when. */
  readonly at: number | undefined
  readonly kind: 'effect' | 'call' | 'send' | EventKind
  /** Of a call. */
  readonly state: 'done' | 'unknown' | 'notMade' | 'other' | undefined
  /** Of a send: the `uniquerequestid` of the message. Of a delivery: its SQS message id. */
  readonly messageId: string | undefined
  readonly label: string
}

interface LaneMark extends Mark {
  readonly lane: string
  readonly request: string | undefined
}
