import { withoutLettered } from '../../../operator/status/finding.ts'
import type { Finding, OverviewAnswer } from '../answers.ts'

interface Sorted {
  readonly bad: readonly Finding[]
  readonly warn: readonly Finding[]
  readonly note: readonly Finding[]
}

/**
 * The findings of the table as they are now, with those of the dead-letter queues from the last look at them: in an account each
 * look receives messages, so that queues are looked at less often.
 * @param whole of table and queues
 * @param table a newer one of the table only
 */
export function sortFindings(
  whole: readonly Finding[],
  table: readonly Finding[] | undefined,
): Sorted {
  const letters = whole.filter(({ onQueues }) => onQueues)
  const rest =
    table === undefined
      ? whole.filter(({ onQueues }) => !onQueues)
      : withoutLettered(table, letters)
  const doubts = rest.filter(({ kind }) => kind === 'unknown outcome')
  const all = [...doubts, ...letters, ...rest.filter(({ kind }) => kind !== 'unknown outcome')]
  const of = (severity: Finding['severity']): readonly Finding[] =>
    all.filter((each) => each.severity === severity)
  return { bad: of('bad'), warn: of('warn'), note: of('note') }
}

/** What was not read may be bad: only a whole look that found nothing is good. */
export function toneOfAll(
  { bad, warn }: Sorted,
  { unread }: Pick<OverviewAnswer, 'unread'>,
): 'bad' | 'warn' | 'good' {
  if (bad.length > 0) return 'bad'
  return warn.length > 0 || unread.length > 0 ? 'warn' : 'good'
}

export function headline(
  { bad, warn }: Sorted,
  { unread }: Pick<OverviewAnswer, 'unread'>,
): string {
  // The records of these dead letters are not known, so the table may have counted them already.
  const unlooked = bad.filter(({ kind, since }) => kind === 'dead letters' && since === undefined)
  const idle = bad.filter(({ kind }) => kind === 'no consumer' || kind === 'failing')
  const late = warn.filter(({ kind }) => kind === 'overdue' || kind === 'stalled')
  const slow = warn.filter(({ kind }) => kind === 'backlog' || kind === 'no progress')
  const others = warn.filter((each) => !late.includes(each) && !slow.includes(each))
  const counts = [
    [
      bad.filter((each) => !unlooked.includes(each) && !idle.includes(each)),
      'wait for an operator',
    ],
    [idle, 'messages have no consumer that completes them'],
    [unlooked, 'dead letters could not be looked at'],
    [late, 'overdue or stalled'],
    [slow, 'messages pile up'],
    [others, 'others to look at'],
  ] as const
  const parts = counts
    .filter(([findings]) => findings.length > 0)
    .map(([findings, words]) => `${countOf(findings)} ${words}`)
  if (parts.length > 0) return parts.join(', ')
  return unread.length > 0
    ? 'Nothing waits for an operator, in what could be read'
    : 'Nothing waits for an operator'
}

interface Beginning {
  /** The longest-lasting of those whose beginning is known; undefined: it is known of none. */
  readonly first: Finding | undefined
  /** How many have an unknown beginning. */
  readonly unknown: number
}

/** Since when something is wrong; undefined: nothing is. */
export function beginningOf({ bad, warn }: Sorted): Beginning | undefined {
  const wrong = [...bad, ...warn]
  if (wrong.length === 0) return undefined
  const known = wrong.filter(({ since }) => since !== undefined)
  const [first] = known.toSorted((one, other) => timeOf(one) - timeOf(other))
  return { first, unknown: wrong.length - known.length }
}

function timeOf({ since = '' }: Finding): number {
  return Date.parse(since)
}

function countOf(findings: readonly Finding[]): string {
  const number = findings.reduce((sum, each) => sum + each.number, 0).toLocaleString('en')
  return findings.some(({ atLeast }) => atLeast) ? `${number} or more` : number
}
