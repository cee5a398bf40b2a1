/** Something that happened to a request or a key, from the log, its item, or the audit. */
export interface TimelineEvent {
  /** Epoch milliseconds; undefined: the line has no time. */
  readonly at: number | undefined
  readonly from: 'log' | 'table' | 'audit'
  /** Consumer, scope, or flow with its stage. */
  readonly where: string
  readonly request: string | undefined
  readonly attempt: number | undefined
  readonly kind: EventKind
  /** Of `ended` and `settled`: how the attempt or the request ended. */
  readonly outcome: Outcome | undefined
  /** Of `dropped`: the reason by its word in metrics and settlements, such as `duplicate`. */
  readonly because: string | undefined
  /** Of `deferred`, `retry` and `waits`: when it comes back at the latest, epoch milliseconds. */
  readonly until: number | undefined
  /** The SQS message id of the delivery that it is about. */
  readonly messageId: string | undefined
  readonly what: string
  readonly why: string | undefined
}

/**
 * - `sent`: the request was first sent. `queued`: its event is on the queue. `accepted`: its content is stored.
 * - `began`, `ended`: an attempt. `settled`: the request, as the table says.
 * - `dropped`: a delivery for which nothing was left to do. `deferred`: one that comes back.
 * - `deadLettered`: its dead letter was sent. `died`: a request of a flow.
 * - `waits`: an awaited step.
 * - `operator`: a change by an operator. `swept`: what the sweeper did or found.
 * - `other`: another line of the log.
 */
export type EventKind =
  | 'sent'
  | 'queued'
  | 'accepted'
  | 'began'
  | 'ended'
  | 'settled'
  | 'dropped'
  | 'deferred'
  | 'deadLettered'
  | 'died'
  | 'waits'
  | 'operator'
  | 'swept'
  | 'other'

/**
 * How an attempt ended.
 * - `succeeded`. `failed`: it is tried again. `dead`: it failed for good. `unknown`: whether a call was made is not known.
 * - `lost`: killed, or cut off: it has reported no end. `timedOut`: the handler still ran when the time was up.
 * - `overtaken`: another attempt had taken over: its end did not count.
 * - `stale`: the data were newer than the request.
 */
export type Outcome =
  | 'succeeded'
  | 'failed'
  | 'dead'
  | 'unknown'
  | 'lost'
  | 'timedOut'
  | 'overtaken'
  | 'stale'
