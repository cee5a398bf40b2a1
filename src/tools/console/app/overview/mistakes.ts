import type { DoctorFinding } from '../../../doctor/index.ts'
import { counted } from '../parts/counted.ts'

interface Mistakes {
  /** @example '11 mistakes in template.yml' */
  readonly text: string
  /** @example '7 errors, 4 warnings' */
  readonly title: string
  readonly tone: 'bad' | 'warn'
}

/** @returns undefined: there is none. Questions and notes are no mistakes. */
export function mistakesIn(
  findings: readonly Pick<DoctorFinding, 'severity'>[],
  template: string,
): Mistakes | undefined {
  const count = (severity: DoctorFinding['severity']): number =>
    findings.filter((each) => each.severity === severity).length
  const [errors, warnings] = [count('error'), count('warning')]
  if (errors + warnings === 0) return undefined
  const file = template.split(/[/\\]/).at(-1) ?? template
  return {
    text: `${counted(errors + warnings, 'mistake')} in ${file}`,
    title: [errors && counted(errors, 'error'), warnings && counted(warnings, 'warning')]
      .filter(Boolean)
      .join(', '),
    tone: errors > 0 ? 'bad' : 'warn',
  }
}
