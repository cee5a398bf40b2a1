import type { DoctorFinding } from '../../../../doctor/index.ts'

type Severity = DoctorFinding['severity']

const WORST_FIRST: readonly Severity[] = ['error', 'warning', 'question', 'note', 'unchecked']

/** Only severities that were found. */
export function bySeverity(
  findings: readonly DoctorFinding[],
): readonly (readonly [Severity, readonly DoctorFinding[]])[] {
  return WORST_FIRST.map(
    (severity) => [severity, findings.filter((each) => each.severity === severity)] as const,
  ).filter(([, found]) => found.length > 0)
}
