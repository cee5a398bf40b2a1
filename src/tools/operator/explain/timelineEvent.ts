/** Something that happened to a request or a key, from the log, its item, or the audit. */
export interface TimelineEvent {
  /** Epoch milliseconds; undefined: the line has no time. */
  readonly at: number | undefined
  readonly from: 'log' | 'table' | 'audit'
  /** Consumer, name of a key, or flow with its stage. */
  readonly where: string
  readonly request: string | undefined
  readonly attempt: number | undefined
  readonly kind: EventKind
  /** How the attempt (`ended`) or the request (`settled`) ended. */
  readonly outcome: Outcome | undefined
  /** Why it was `dropped`, by the word in metrics and settlements, such as `duplicate`. */
  readonly because: string | undefined
  /** When it goes on at the latest, if `deferred`, `retry` or `waits`. Epoch milliseconds. */
  readonly until: number | undefined
  /** The SQS message id of the delivery that it is about. */
  readonly messageId: string | undefined
  readonly what: string
  readonly why: string | undefined
}

/** What most sources do not know. */
export const NO_DETAILS: Pick<
  TimelineEvent,
  'attempt' | 'outcome' | 'because' | 'until' | 'messageId' | 'why'
> = {
  attempt: undefined,
  outcome: undefined,
  because: undefined,
  until: undefined,
  messageId: undefined,
  why: undefined,
}

/**
 * - `sent`: the request was first sent. `queued`: its event is on the queue. `accepted`: its content is stored.
 * - `began`, `ended`: an attempt. `settled`: the request, as the table says.
 * - `dropped`: a delivery for which nothing was left to do. `deferred`: one that SQS delivers again.
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

interface LogMeaning {
  readonly kind: EventKind
  /** How the attempt ended, when `ended`. */
  readonly outcome?: Outcome
}

/** Whole messages. A handler may log one of them, too: who reads the events takes the first beginning and the last end. */
const MESSAGES: Readonly<Record<string, LogMeaning>> = {
  started: { kind: 'began' },
  succeeded: ended('succeeded'),
  'failed, will be retried': ended('failed'),
  'failed, will be retried without counting: the circuit is open': ended('failed'),
  'failed, will be retried without counting: a table or a queue did not answer': ended('failed'),
  'not done: the next caller may run': ended('failed'),
  'failed for good, will be dead-lettered': ended('dead'),
  'terminal: later callers get the same error': ended('dead'),
  'parked: not run again until an operator has resolved it': ended('dead'),
  'unknown outcome, will be dead-lettered': ended('unknown'),
  'unknown outcome, parked: not run again until an operator has resolved it': ended('unknown'),
  'timed out: the handler still ran when the time was up; the record comes back': ended('timedOut'),
  'ended, but another attempt had taken over: the record comes back': ended('overtaken'),
  'ended, but its record is gone, deleted by hand or by a restore: the message comes back':
    ended('overtaken'),
  'ended, but another attempt had taken over its token: that end counts': ended('overtaken'),
  'another attempt holds the key now': ended('overtaken'),
  'dropped: the data are newer than the request': ended('stale'),
  'answered from the first run': { kind: 'dropped' },
  'dead-lettered': { kind: 'deadLettered' },
  'dead-lettered without a run': { kind: 'deadLettered' },
  accepted: { kind: 'accepted' },
}

const OTHER: LogMeaning = { kind: 'other' }

/** Beginnings of messages. */
const BEGINNINGS: readonly (readonly [string, EventKind])[] = [
  ['dropped: ', 'dropped'],
  ['deferred', 'deferred'],
  ['abandoned: ', 'swept'],
  ['stalled: ', 'swept'],
  ['overdue: ', 'swept'],
]

/** @param level of the line: the beginning of an attempt is logged as DEBUG, and a handler may log the same word as INFO */
export function meaningOf(message: string, level: unknown): LogMeaning {
  if (message === 'started' && typeof level === 'string' && !/^debug$/i.test(level)) return OTHER
  const whole = Object.hasOwn(MESSAGES, message) ? MESSAGES[message] : undefined
  if (whole !== undefined) return whole
  const [, kind = 'other'] = BEGINNINGS.find(([start]) => message.startsWith(start)) ?? []
  return { kind }
}

function ended(outcome: Outcome): LogMeaning {
  return { kind: 'ended', outcome }
}
