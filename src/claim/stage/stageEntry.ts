/**
 * What became of one stage of the running request. In the table it is one short text, so that a write can be conditional on
 * the whole of it with one comparison, and three stages stay far below 1 KB.
 */
export type StageEntry = OpenEntry | RetryEntry | SettledEntry | DyingEntry | DeadEntry

/** An attempt runs, or ran and was lost: `leaseUntil` (epoch milliseconds) says until when no other attempt may start. */
export interface OpenEntry {
  readonly status: 'open'
  /** Names one execution. Only its holder may write. */
  readonly attemptId: string
  /** Executions begun, this one included. */
  readonly attempt: number
  readonly leaseUntil: number
  /** Number of the newest re-send. */
  readonly resendNumber: number
}

/** No attempt runs, and none may start before `notBefore`. `sent`: the queue is known to hold copy number `resendNumber`. */
export interface RetryEntry {
  readonly status: 'retry'
  readonly attemptId: string
  readonly attempt: number
  readonly notBefore: number
  readonly resendNumber: number
  readonly sent: boolean
}

/** Done. `ends`: nothing is to come after it. `sentTo`: the stages it sent messages to, which have to settle as well. */
export interface SettledEntry {
  readonly status: 'settled'
  readonly ends: boolean
  readonly sentTo: readonly string[]
}

/** May not run any more; `attemptId` brings it to the dead-letter queue. */
export interface DyingEntry {
  readonly status: 'dying'
  readonly attemptId: string
  readonly attempt: number
  readonly leaseUntil: number
  readonly reason: StageDeathReason
}

/** `epoch` is the one its dead letter carries: a dead letter of an earlier death cannot reopen it. */
export interface DeadEntry {
  readonly status: 'dead'
  readonly epoch: number
  readonly reason: StageDeathReason
}

/**
 * Why a stage died, as its dead letter says it, and as the table stores it: two words in the table are older than those of dead
 * letters. `abandoned`: the sweeper ended the run, without a dead letter.
 */
const STORED_REASONS = {
  exhausted: 'exhausted',
  terminal: 'terminal',
  rejected: 'refused',
  'too old': 'expired',
  unknown: 'unknown',
  abandoned: 'abandoned',
} as const

export type StageDeathReason = keyof typeof STORED_REASONS

export function isDeathReason(reason: string): reason is StageDeathReason {
  return Object.hasOwn(STORED_REASONS, reason)
}

function readReason(stored: string): StageDeathReason | undefined {
  return Object.keys(STORED_REASONS)
    .filter(isDeathReason)
    .find((reason) => STORED_REASONS[reason] === stored)
}

export function isAtEnd(entry: StageEntry | undefined): entry is SettledEntry | DeadEntry {
  return entry?.status === 'settled' || entry?.status === 'dead'
}

/** 0: no attempt can be at work on it. */
export function leaseOf(entry: StageEntry): number {
  return entry.status === 'open' || entry.status === 'dying' ? entry.leaseUntil : 0
}

/** Stage names and ids hold no spaces: names are checked when the flow is defined, attempt ids are ULIDs. */
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
      return words(
        'dying',
        entry.attempt,
        entry.attemptId,
        entry.leaseUntil,
        STORED_REASONS[entry.reason],
      )
    case 'dead':
      return words('dead', entry.epoch, STORED_REASONS[entry.reason])
  }
}

function words(...parts: readonly (string | number)[]): string {
  return parts.join(' ')
}

const FORM =
  /^(?:open \d+ \S+ \d+ \d+|retry \d+ \S+ \d+ \d+ (?:un)?sent|settled (?:ends|on)(?: \S+)*|dying \d+ \S+ \d+ \w+|dead \d+ \w+)$/

/** @returns undefined for a text that `writeEntry` would not have written: a comparison with it would miss. */
export function readEntry(text: string): StageEntry | undefined {
  if (!FORM.test(text)) return undefined
  const entry = parse(text.split(' '))
  return entry !== undefined && writeEntry(entry) === text ? entry : undefined
}

function parse([status, ...rest]: readonly string[]): StageEntry | undefined {
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
      const reason = readReason(fourth)
      return reason && { status, ...attempted, leaseUntil: Number(third), reason }
    }
    case 'dead': {
      const reason = readReason(second)
      return reason && { status, epoch: Number(first), reason }
    }
    default:
      return undefined
  }
}
