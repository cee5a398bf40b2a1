import type { Cause } from '../dlq/errorShape.ts'
import type { NextStep } from '../item/advise.ts'

/** The worst first. */
const KINDS = [
  'wrong clock',
  'unknown outcome',
  'dead letters',
  'no consumer',
  'lost record',
  'no dead letter',
  'dead',
  'stopped',
  'throttled',
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
  /** How many died in a minute, in the last ten. undefined: unknown. */
  readonly perMinute?: number | undefined
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
  /** The records that it counts, or that wait with its dead letters and are not counted beside them. */
  readonly parked?: readonly ParkedRecords[]
  /** The table shows it, and a dead letter of it was sent. */
  readonly lettered?: boolean
}

/** Records of one owner and cause that wait for an operator. */
export interface ParkedRecords {
  readonly of: string
  readonly kind: Extract<StatusFinding['kind'], 'stopped' | 'dead'>
  /** Its name. undefined: no error is known. */
  readonly cause: string | undefined
  readonly number: number
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
 * A dead letter and its record are one problem: what the table shows to wait, without the records that have a dead letter.
 * @param letters findings of the dead-letter queues
 */
export function withoutLettered<Finding extends Omit<StatusFinding, 'since' | 'newest'>>(
  table: readonly Finding[],
  letters: readonly Pick<StatusFinding, 'parked'>[],
): readonly Finding[] {
  const seen = letters.flatMap(({ parked = [] }) => parked.map((each) => ({ ...each })))
  return table.flatMap((finding) => {
    if (finding.parked === undefined) return [finding]
    const parked = finding.parked.map((each) => {
      let { number } = each
      for (const other of seen) {
        if (other.of !== each.of || other.kind !== each.kind || other.cause !== each.cause) continue
        const both = Math.min(number, other.number)
        other.number -= both
        number -= both
      }
      return { ...each, number }
    })
    const number = parked.reduce((sum, each) => sum + each.number, 0)
    return number > 0 ? [{ ...finding, number, parked }] : []
  })
}

/** How often, whether it fails right now, in which version, and for whom. '': not known. */
export function paceOf(finding: StatusFinding): string {
  const { number, perMinute = 0, retrying, versions = [], tenants } = finding
  const { looked = 0, most: [most] = [] } = tenants ?? {}
  const isMostly = most !== undefined && looked > 1 && most.number > looked / 2
  return [
    ...(perMinute > 0 && number > 1 ? [`${perMinute} a minute`] : []),
    ...(retrying === undefined ? [] : [`fails now: ${retrying} tried again`]),
    ...(versions.length === 0 ? [] : [`version ${versions.join(', ')}`]),
    ...(isMostly ? [`mostly of ${most.tenant} (${most.number} of ${looked})`] : []),
  ].join(', ')
}

/** Its dead letter is on no queue: discarded, deleted, or on its way back. A redrive cannot help. */
export function withoutLetter(finding: StatusFinding): StatusFinding {
  const { lettered, what } = finding
  if (lettered !== true) return finding
  const where = 'its dead letter is on no queue (discarded, deleted, or redriven just now)'
  return { ...finding, onQueues: true, kind: 'no dead letter', what: `${where}; ${what}` }
}
