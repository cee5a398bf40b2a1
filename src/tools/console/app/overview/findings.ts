import type { Finding, Overview } from '../answers.ts'

/** What is wrong, by who has to act. */
interface Sorted {
  /** Waits for a person. */
  readonly bad: readonly Finding[]
  /** Overdue or stalled. */
  readonly warn: readonly Finding[]
  /** Worth a look. */
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
  const letters = whole.filter(({ kind }) => kind === 'dead letters')
  const rest = (table ?? whole).filter(({ kind }) => kind !== 'dead letters')
  const doubts = rest.filter(({ kind }) => kind === 'unknown outcome')
  const all = [...doubts, ...letters, ...rest.filter(({ kind }) => kind !== 'unknown outcome')]
  const of = (severity: Finding['severity']): readonly Finding[] =>
    all.filter((each) => each.severity === severity)
  return { bad: of('bad'), warn: of('warn'), note: of('note') }
}

/** The state of everything in one sentence. */
export function headline({ bad, warn }: Sorted, { unread }: Pick<Overview, 'unread'>): string {
  const waiting = bad.reduce((sum, { number }) => sum + number, 0)
  const late = warn.reduce((sum, { number }) => sum + number, 0)
  const parts = [
    ...(waiting > 0 ? [`${waiting.toLocaleString('en')} wait for an operator`] : []),
    ...(late > 0 ? [`${late.toLocaleString('en')} overdue or stalled`] : []),
  ]
  if (parts.length > 0) return parts.join(', ')
  return unread.length > 0
    ? 'Nothing waits for an operator, in what could be read'
    : 'Nothing waits for an operator'
}
