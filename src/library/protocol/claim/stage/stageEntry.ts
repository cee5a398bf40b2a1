/**
 * The state of one stage of the running request. In the table it is one short text, so that a write can be conditional on the
 * whole entry with one comparison, and three stages stay far below 1 KB.
 */
export type StageEntry = OpenEntry | RetryEntry | SettledEntry | DyingEntry | DeadEntry

/** An attempt is running, or was lost. No other attempt may start until `leaseUntil`, epoch milliseconds. */
export interface OpenEntry {
  readonly status: 'open'
  /** Identifies one execution. Only the attempt with this id may write. */
  readonly attemptId: string
  /** Executions that have begun, including this one. */
  readonly attempt: number
  readonly leaseUntil: number
  /** Number of the newest resend. */
  readonly resendNumber: number
}

/** No attempt is running, and none may start before `notBefore`. `sent`: the queue is known to hold copy number `resendNumber`. */
export interface RetryEntry {
  readonly status: 'retry'
  readonly attemptId: string
  readonly attempt: number
  readonly notBefore: number
  readonly resendNumber: number
  readonly sent: boolean
}

/** The stage is completed. `ends`: no stage follows. `sentTo`: the stages it sent messages to, which have to settle as well. */
export interface SettledEntry {
  readonly status: 'settled'
  readonly ends: boolean
  readonly sentTo: readonly string[]
}

/** The stage may no longer run, and the attempt `attemptId` sends it to the dead-letter queue. */
export interface DyingEntry {
  readonly status: 'dying'
  readonly attemptId: string
  readonly attempt: number
  readonly leaseUntil: number
  readonly reason: StageDeathReason
}

/** `epoch` is the number of the death that the dead letter carries. A dead letter of an earlier death cannot reopen the stage. */
export interface DeadEntry {
  readonly status: 'dead'
  readonly epoch: number
  readonly reason: StageDeathReason
}

/**
 * The death of a handler whose answer an operator has given up. A dead letter has the epoch in which it died, which is never 0: it can
 * no longer revive the handler, and the next answer of the step can.
 */
export const GIVEN_UP: DeadEntry = { status: 'dead', epoch: 0, reason: 'abandoned' }

/**
 * Why a stage died, in the words of its dead letter. `abandoned`: the sweeper ended the run, without a dead letter.
 */
const DEATH_REASONS = [
  'exhausted',
  'terminal',
  'rejected',
  'too old',
  'unknown',
  'abandoned',
] as const

export type StageDeathReason = (typeof DEATH_REASONS)[number]

export function isDeathReason(reason: string): reason is StageDeathReason {
  return DEATH_REASONS.some((one) => one === reason)
}

/** It is the last part of an entry, because it may be two words. */
function readReason(words: readonly string[]): StageDeathReason | undefined {
  const reason = words.join(' ')
  return isDeathReason(reason) ? reason : undefined
}

export function isAtEnd(entry: StageEntry | undefined): entry is SettledEntry | DeadEntry {
  return entry?.status === 'settled' || entry?.status === 'dead'
}

/**
 * Whether the stage died with a dead letter. A run that was given up has none yet: a message that is left becomes one when it
 * arrives.
 */
export function hasDeadLetter(entry: StageEntry): boolean {
  return entry.status === 'dead' && entry.reason !== 'abandoned'
}

/** See GIVEN_UP. */
export function isGivenUp(entry: StageEntry | undefined): boolean {
  return entry?.status === 'dead' && entry.epoch === GIVEN_UP.epoch
}

/** 0: no attempt can be running. */
export function leaseOf(entry: StageEntry): number {
  return entry.status === 'open' || entry.status === 'dying' ? entry.leaseUntil : 0
}

/** Stage names and ids contain no spaces: names are checked when the flow is defined, and attempt ids are ULIDs. */
export function writeEntry(entry: StageEntry): string {
  switch (entry.status) {
    case 'open':
      return words('open', entry.attempt, entry.attemptId, entry.leaseUntil, entry.resendNumber)
    case 'retry': {
      const sent = entry.sent ? 'sent' : 'unsent'
      return words(
        'retry',
        entry.attempt,
        entry.attemptId,
        entry.notBefore,
        entry.resendNumber,
        sent,
      )
    }
    case 'settled':
      return words('settled', entry.ends ? 'ends' : 'on', ...entry.sentTo)
    case 'dying':
      return words('dying', entry.attempt, entry.attemptId, entry.leaseUntil, entry.reason)
    case 'dead':
      return words('dead', entry.epoch, entry.reason)
  }
}

function words(...parts: readonly (string | number)[]): string {
  return parts.join(' ')
}

const FORM =
  // @survives Regex ×2: what was read is written again and compared with the text, which finds anything before or after it; the
  // anchors only say no earlier.
  /^(?:open \d+ \S+ \d+ \d+|retry \d+ \S+ \d+ \d+ (?:un)?sent|settled (?:ends|on)(?: \S+)*|dying \d+ \S+ \d+ [\w ]+|dead \d+ [\w ]+)$/

/**
 * @returns undefined for a text that `writeEntry` would not have written, because a condition that compares with it would not hold
 */
export function readEntry(text: string): StageEntry | undefined {
  if (!FORM.test(text)) return undefined
  const entry = parse(text.split(' '))
  return entry !== undefined && writeEntry(entry) === text ? entry : undefined
}

function parse([status, ...rest]: readonly string[]): StageEntry | undefined {
  // @survives StringLiteral ×5: the form that was checked before has as many words as its status needs, so the defaults are for the
  // types only.
  const [first = '', second = '', third = '', fourth = '', fifth = ''] = rest
  const attempted = { attempt: Number(first), attemptId: second }
  switch (status) {
    case 'open':
      return { status, ...attempted, leaseUntil: Number(third), resendNumber: Number(fourth) }
    case 'retry': {
      const waits = {
        notBefore: Number(third),
        resendNumber: Number(fourth),
        sent: fifth === 'sent',
      }
      return { status, ...attempted, ...waits }
    }
    case 'settled':
      return { status, ends: first === 'ends', sentTo: rest.slice(1) }
    case 'dying': {
      const reason = readReason(rest.slice(3))
      return reason && { status, ...attempted, leaseUntil: Number(third), reason }
    }
    case 'dead': {
      const reason = readReason(rest.slice(1))
      return reason && { status, epoch: Number(first), reason }
    }
    // @survives ConditionalExpression: a function that ends without a return gives undefined as well.
    default:
      return undefined
  }
}
