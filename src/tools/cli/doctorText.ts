import type { Deployment, Subscription } from '../doctor/deployment.ts'
import type { DoctorFinding } from '../doctor/rule.ts'
import { oneLine } from './table.ts'

export const SEVERITIES = ['error', 'warning', 'question', 'note'] as const

/**
 * What is wrong comes first, and in full; then how topics deliver; then what was not checked.
 * @param isVerbose notes in full, and the rules that were not checked by their names
 */
export function doctorLines(
  deployment: Deployment,
  findings: readonly DoctorFinding[],
  isVerbose: boolean,
): readonly string[] {
  const found = findings.filter(({ severity }) => severity !== 'unchecked')
  const unchecked = findings.filter(({ severity }) => severity === 'unchecked')
  return [
    ...found.flatMap((each) => findingLines(each, isVerbose)),
    found.length === 0 ? 'Nothing found.' : summary(found),
    ...(deployment.from === 'account' ? deployment.subscriptions.flatMap(subscriptionLines) : []),
    ...uncheckedLines(unchecked, isVerbose),
    ...(deployment.from === 'templates' ? [read(deployment)] : []),
  ].map(oneLine)
}

function findingLines(
  { severity, subject, problem, consequence, cure, source }: DoctorFinding,
  isVerbose: boolean,
): readonly string[] {
  const first = `${severity.padEnd(8)} ${subject}: ${problem}`
  if (severity === 'note' && !isVerbose) return [first]
  return [first, ...[consequence, `Cure: ${cure}`, source].map((line) => `         ${line}`)]
}

/** Such as `3 found: 1 error, 2 notes.` */
function summary(found: readonly DoctorFinding[]): string {
  const counts = SEVERITIES.map(
    (word) => [word, found.filter((each) => each.severity === word).length] as const,
  )
  const words = counts
    .filter(([, count]) => count > 0)
    .map(([word, count]) => `${count} ${word}${count === 1 ? '' : 's'}`)
  return `${found.length} found: ${words.join(', ')}.`
}

/** Its filter is a setting, and no fault: only the sender's messages show whether it is right. */
function subscriptionLines({
  topic,
  queue,
  delivery,
  deadLetter,
  filter,
}: Subscription): readonly string[] {
  const raw = delivery === undefined ? `raw delivery: ${UNKNOWN}` : DELIVERIES[delivery]
  const redrive = deadLetter === undefined ? 'no redrive policy' : `redrive policy to ${deadLetter}`
  const settings = `Subscription of ${queue} to ${topic}: ${raw}, ${redrive}`
  if (filter === undefined) return [`${settings}, no filter policy.`]
  return [
    `${settings}, filter policy on ${filter.scope ?? UNKNOWN}: ${JSON.stringify(filter.policy)}`,
    '         SNS drops what does not match: it is on no queue, and only the metric NumberOfNotificationsFilteredOut of the topic counts it.',
  ]
}

const DELIVERIES = { raw: 'raw delivery', wrapped: 'no raw delivery' } as const
const UNKNOWN = 'what is known only when it is deployed'

function uncheckedLines(unchecked: readonly DoctorFinding[], isVerbose: boolean): string[] {
  const groups = Map.groupBy(unchecked, ({ problem }) => problem)
  return [...groups].map(([problem, findings]) => {
    const why = problem.replaceAll(/^Not checked: |\.$/g, '')
    const cure = findings[0]?.cure ?? ''
    const names = (of: (finding: DoctorFinding) => string): string =>
      [...new Set(findings.map(of))].join(', ')
    // A line about a resource begins with its name; a line about rules begins with the reason that they share.
    if (findings[0]?.rule === 'unread')
      return `Not checked: ${names(({ subject }) => subject)}: ${why}. ${cure}`
    if (isVerbose) return `Not checked, because ${why}: ${names(({ rule }) => rule)}. ${cure}`
    const rules = findings.length === 1 ? '1 rule' : `${findings.length} rules`
    return `Not checked, because ${why}: ${rules} (--verbose names them). ${cure}`
  })
}

/** What the templates have of what rules are about, so that an empty answer is not taken for a good one. */
function read({ mappings, functions, queues, topics, tables, alarms }: Deployment): string {
  const counts = [
    [functions.length, 'functions'],
    [mappings.length, 'mappings of queues'],
    [queues.length, 'queues'],
    [topics.length, 'topics'],
    [new Set(alarms.map(({ id }) => id)).size, 'alarms'],
  ] as const
  const words = counts.map(([count, word]) => `${count} ${word}`).join(', ')
  const consumers = mappings.length === 0 ? ' No function here consumes a queue.' : ''
  return `Read: ${words}, ${tablesIn(tables.map(({ id }) => id))}.${consumers}`
}

function tablesIn(ids: readonly string[]): string {
  if (ids.length === 0) return 'no table of Lineclear'
  return `the table${ids.length === 1 ? '' : 's'} ${ids.join(', ')}`
}
