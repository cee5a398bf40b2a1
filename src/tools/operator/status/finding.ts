import type { Advice } from '../item/advice.ts'
import { advise, type Command, commandText } from '../item/advise.ts'

/** One thing that is wrong now, or soon. Times are epoch milliseconds. */
export interface StatusFinding {
  /** `bad`: waits for an operator. `warn`: should have continued by itself. `note`: worth a look. */
  readonly severity: 'bad' | 'warn' | 'note'
  readonly kind:
    | 'unknown outcome'
    | 'dead letters'
    | 'dead'
    | 'stopped'
    | 'overdue'
    | 'stalled'
    | 'long wait'
    | 'long run'
    | 'retrying'
    | 'paused'
    | 'braked'
    | 'operation'
    | 'wrong clock'
  /** Consumer, scope, flow or queue. */
  readonly of: string
  readonly number: number
  /** There may be more than `number`. */
  readonly atLeast: boolean
  /** Of the oldest; undefined: unknown. */
  readonly since: number | undefined
  /** What happened, such as the error. */
  readonly what: string
  /** Of dead letters: how many arrived in each of 24 equal parts of the time from the oldest to the newest. */
  readonly arrivals?: readonly number[]
  /** Of dead letters: the records that wait with them, and are not counted beside them. */
  readonly parked?: readonly ParkedRecords[]
  /** The complete command to type next. */
  readonly next: string
  /** Of dead letters: why, and what comes after it. */
  readonly afterwards?: string | undefined
  /** The same as data: the next step first. */
  readonly advice: readonly Advice[]
}

/** Records of one owner that wait for an operator as their dead letters do. */
export interface ParkedRecords {
  readonly of: string
  readonly kind: Extract<StatusFinding['kind'], 'stopped' | 'dead'>
  readonly number: number
}

/** The next step, in words and as data. */
export function nextStep(command: Command): Pick<StatusFinding, 'next' | 'advice'> {
  return { next: commandText(command), advice: [advise({ command }, { cure: true })] }
}

const SEVERITY = ['bad', 'warn', 'note']
const KINDS: readonly StatusFinding['kind'][] = [
  'wrong clock',
  'unknown outcome',
  'dead letters',
  'dead',
  'stopped',
  'stalled',
  'overdue',
  'long wait',
  'long run',
  'retrying',
  'operation',
  'braked',
  'paused',
]

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
 * A dead letter and its record are one problem: what the table shows to wait, without the records that dead letters stand for.
 * @param letters findings of the dead-letter queues
 */
export function withoutLettered<Finding extends Omit<StatusFinding, 'since'>>(
  table: readonly Finding[],
  letters: readonly Pick<StatusFinding, 'parked'>[],
): readonly Finding[] {
  const parked = letters.flatMap((each) => each.parked ?? [])
  return table.flatMap((finding) => {
    const lettered = parked
      .filter(({ of, kind }) => of === finding.of && kind === finding.kind)
      .reduce((sum, { number }) => sum + number, 0)
    if (lettered === 0) return [finding]
    const number = finding.number - lettered
    return number > 0 ? [{ ...finding, number }] : []
  })
}
