import type { Deployment, DoctorFinding } from '../doctor/index.ts'
import type { Io } from './command.ts'
import { oneLine } from './table.ts'

/** Findings, worst first, then what was not checked, and what was read. */
export function printDoctor(
  deployment: Deployment,
  findings: readonly DoctorFinding[],
  { out }: Pick<Io, 'out'>,
): void {
  const found = findings.filter(({ severity }) => severity !== 'unchecked')
  for (const { severity, subject, problem, consequence, cure, source } of found) {
    out(oneLine(`${severity.padEnd(8)} ${subject}: ${problem}`))
    for (const line of [consequence, `Cure: ${cure}`, source]) out(`         ${oneLine(line)}`)
  }
  out(found.length === 0 ? 'Nothing found.' : summary(found))
  printUnchecked(
    findings.filter(({ severity }) => severity === 'unchecked'),
    out,
  )
  if (deployment.from === 'templates') out(oneLine(read(deployment)))
}

const WORDS = ['error', 'warning', 'question', 'note'] as const

/** Such as `3 found: 1 error, 2 notes.` */
function summary(found: readonly DoctorFinding[]): string {
  const counts = WORDS.map(
    (word) => [word, found.filter((each) => each.severity === word).length] as const,
  )
  const words = counts
    .filter(([, count]) => count > 0)
    .map(([word, count]) => `${count} ${word}${count === 1 ? '' : 's'}`)
  return `${found.length} found: ${words.join(', ')}.`
}

function printUnchecked(unchecked: readonly DoctorFinding[], out: Io['out']): void {
  for (const [problem, findings] of Map.groupBy(unchecked, (finding) => finding.problem)) {
    const why = problem.replaceAll(/^Not checked: |\.$/g, '')
    const cure = findings[0]?.cure ?? ''
    const names = (of: (finding: DoctorFinding) => string): string =>
      [...new Set(findings.map(of))].join(', ')
    // Of a resource, its name comes first; of a rule, the reason that several rules share.
    const line =
      findings[0]?.rule === 'unread'
        ? `Not checked: ${names(({ subject }) => subject)}: ${why}. ${cure}`
        : `Not checked, because ${why}: ${names(({ rule }) => rule)}. ${cure}`
    out(oneLine(line))
  }
}

/** What the templates have of what rules are about, so that an empty answer is not taken for a good one. */
function read({ mappings, functions, queues, topics, table, alarms }: Deployment): string {
  const counts = [
    [functions.length, 'functions'],
    [mappings.length, 'mappings of queues'],
    [queues.length, 'queues'],
    [topics.length, 'topics'],
    [new Set(alarms.map(({ id }) => id)).size, 'alarms'],
  ] as const
  const words = counts.map(([count, word]) => `${count} ${word}`).join(', ')
  const consumers = mappings.length === 0 ? ' No function here consumes a queue.' : ''
  return `Read: ${words}, ${table === undefined ? 'no table of Lineclear' : `the table ${table.id}`}.${consumers}`
}

/** @param strict questions and notes count too; what could not be checked does not, because some of it never can */
export function isFaulty(findings: readonly DoctorFinding[], strict: boolean): boolean {
  const counted = strict ? ['error', 'warning', 'question', 'note'] : ['error', 'warning']
  return findings.some(({ severity }) => counted.includes(severity))
}
