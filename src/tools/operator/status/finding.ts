import type { Cause } from '../text/errorShape.ts'
import type { NextStep } from '../item/advise.ts'

/** The worst first. */
const KINDS = [
  'wrong clock',
  'unknown outcome',
  'dead letters',
  'no consumer',
  'failing',
  'lost record',
  'no dead letter',
  'dead',
  'stopped',
  'throttled',
  'sweeper',
  'no progress',
  'backlog',
  'stalled',
  'overdue',
  'long wait',
  'long run',
  'retrying',
  'operation',
  'circuitOpen',
  'paused',
] as const

/** One thing that is wrong now, or soon. Times are epoch milliseconds. */
export interface StatusFinding extends NextStep {
  /** `bad`: waits for an operator. `warn`: should have continued by itself. `note`: worth a look. */
  readonly severity: 'bad' | 'warn' | 'note'
  /** It was found on the queues, at which a console looks less often: each look receives messages. */
  readonly onQueues?: true
  readonly kind: (typeof KINDS)[number]
  /** Consumers, names of keys, flows or queues. */
  readonly of: string
  readonly number: number
  /** There may be more than `number`. */
  readonly atLeast: boolean
  /** Time of the oldest one; undefined: unknown. */
  readonly since: number | undefined
  /** Time of the newest one; undefined: unknown, or it is the oldest. */
  readonly newest?: number | undefined
  /** How many arrived in the last ten minutes. undefined: unknown. */
  readonly lately?: number | undefined
  /** Others with the same error that are tried again now: it fails at this moment. */
  readonly retrying?: number
  /** Published versions of the functions that failed, as far as their dead letters say so. */
  readonly versions?: readonly string[]
  /** Tenants of the dead letters on fair queues that were looked at. */
  readonly tenants?: {
    readonly looked: number
    /** The largest first. */
    readonly most: readonly { readonly tenant: string; readonly number: number }[]
  }
  /** What happened, such as the error. */
  readonly what: string
  /** undefined: it says no error. Findings with the same cause are one. */
  readonly cause?: Cause | undefined
  /** How many dead letters arrived in each of 24 equal parts of the time from the oldest to the newest. */
  readonly arrivals?: readonly number[]
  /** Not all dead letters were read, so that there may be more. undefined: all were, or it is about none. */
  readonly sample?: LetterSample
  /** Which records it counts, or of which its dead letters are. */
  readonly records?: readonly CountedRecord[]
  /** The table shows it, and a dead letter of it was sent. */
  readonly lettered?: boolean
}

/** @typeParam Time epoch milliseconds; over the wire ISO 8601 */
export interface CountedRecord<Time = number> {
  /** A hash of its key. */
  readonly name: string
  /** The last claim. undefined: not known. */
  readonly since?: Time | undefined
  /** When it was parked. undefined: not known. */
  readonly died?: Time | undefined
}

/** How many dead letters of some queues were read, and how many these have, as SQS counts them. */
export interface LetterSample {
  readonly read: number
  readonly of: number
}

const SEVERITY = ['bad', 'warn', 'note']

/** The worst first: by severity, by kind, then the largest number. */
export function worstFirst(one: StatusFinding, other: StatusFinding): number {
  return (
    SEVERITY.indexOf(one.severity) - SEVERITY.indexOf(other.severity) ||
    KINDS.indexOf(one.kind) - KINDS.indexOf(other.kind) ||
    other.number - one.number ||
    (one.of < other.of ? -1 : 1)
  )
}

/**
 * A dead letter and its record are one problem: what the table shows to wait, without the records whose dead letters were read.
 * @param letters findings of the dead-letter queues
 */
export function withoutLettered<Time extends number | string, Finding extends Counted<Time>>(
  table: readonly Finding[],
  letters: readonly Pick<Counted<Time>, 'records'>[],
): readonly Finding[] {
  const read = new Set(letters.flatMap(({ records = [] }) => records.map(({ name }) => name)))
  return table.flatMap((finding) => {
    if (finding.records === undefined) return [finding]
    const records = finding.records.filter(({ name }) => !read.has(name))
    if (records.length === finding.records.length) return [finding]
    return records.length > 0
      ? [{ ...finding, number: records.length, records, ...spanOf(records) }]
      : []
  })
}

interface Counted<Time> {
  readonly number: number
  readonly records?: readonly CountedRecord<Time>[]
  readonly since?: Time | undefined
  readonly newest?: Time | undefined
}

/** The first and the last time of those that are left. */
function spanOf<Time extends number | string>(
  records: readonly CountedRecord<Time>[],
): Pick<Counted<Time>, 'since' | 'newest'> {
  const times = records.flatMap(({ since }) => since ?? [])
  const end = (isFurther: (one: Time, other: Time) => boolean): Time | undefined =>
    times.reduce<Time | undefined>(
      (one, other) => (one === undefined || isFurther(other, one) ? other : one),
      undefined,
    )
  return {
    since: end((one, other) => one < other),
    newest: times.length < 2 ? undefined : end((one, other) => one > other),
  }
}

/** How often, whether it fails right now, in which version, and for whom. '': not known. */
export function paceOf(finding: StatusFinding): string {
  const { number, sample, lately = 0, retrying, versions = [], tenants } = finding
  const { looked = 0, most: [most] = [] } = tenants ?? {}
  const isMostly = most !== undefined && looked > 1 && most.number > looked / 2
  return [
    ...(sample === undefined ? [] : [`${count(sample.read)} of ${count(sample.of)} read`]),
    ...(lately > 0 && number > 1 ? [`${count(lately)} in the last 10 min`] : []),
    ...(retrying === undefined ? [] : [`fails now: ${retrying} tried again`]),
    ...(versions.length === 0 ? [] : [`version ${versions.join(', ')}`]),
    ...(isMostly ? [`mostly of ${most.tenant} (${most.number} of ${looked})`] : []),
  ].join(', ')
}

function count(number: number): string {
  return number.toLocaleString('en')
}

/** SQS's counts of a queue are right about a minute after its last message (Amazon SQS, GetQueueAttributes), milliseconds. */
const COUNT_LAGS = 2 * 60_000

/** Its dead letter is on no queue: discarded, deleted, or on its way back. A redrive cannot help. */
export function withoutLetter(finding: StatusFinding, now: number): StatusFinding {
  const { lettered, what, records = [] } = finding
  // An attempt may have begun long before it died, and its dead letter is sent when it dies.
  const isCounted = records.every(({ died = Infinity }) => died <= now - COUNT_LAGS)
  if (lettered !== true || !isCounted) return finding
  const where = 'its dead letter is on no queue (discarded, deleted, or redriven just now)'
  return { ...finding, onQueues: true, kind: 'no dead letter', what: `${where}; ${what}` }
}
