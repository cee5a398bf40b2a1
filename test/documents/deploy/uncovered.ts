import { listedMetrics } from '../../features/metrics/readmeList.ts'
import { samplesIn, watches } from './cloudWatch.ts'
import type { Alarms } from './deployedAlarms.ts'
import { shown } from './shown.ts'

/**
 * Which of the metrics in these lines are not on the dashboard, or not under the alarms that the runbook names for them, each with
 * what is missing. `orders` and `payments` stand there for any consumer, and any function that consumes no queue.
 */
export function uncovered(lines: readonly string[], alarms: Alarms): string[] {
  const onDashboard = new Set(
    shown().map((each) => {
      const [by = '', name = ''] = each.split(' ')
      return `${sorted(by)} ${name}`
    }),
  )
  const listed = listedMetrics()
  const reported = new Map(
    samplesIn(lines).map((sample) => [`${sample.namespace} ${sample.by} ${sample.name}`, sample]),
  )
  return [...reported].flatMap(([metric, { by, name }]) => {
    const names = sorted(by.replaceAll(/=\S*/g, '').replaceAll(' ', ','))
    const rows = listed.filter((each) => sorted(each.by) === names && each.name === name)
    if (rows.length === 0) return [`${metric}: not in the runbook`]
    const own = ownerOf(by, alarms)
    if (own === undefined) return [`${metric}: no alarm has these dimensions`]
    const wanted = rows
      .flatMap((row) => row.alarms)
      .map((alarm) => alarm.replace(/^(?:Orders|Payments)/, own))
    return [
      ...(onDashboard.has(`${names} ${name}`) ? [] : [`${metric}: not on the dashboard`]),
      ...wanted.filter((id) => !isThere(id)).map((id) => `${metric}: no ${id}`),
    ]
  })

  function isThere(id: string): boolean {
    return alarms.some(([each]) => each === id)
  }
}

function sorted(names: string): string {
  return names.split(',').toSorted().join()
}

/** What the names of its alarms begin with. The sweeper's have no common beginning. */
function ownerOf(by: string, alarms: Alarms): string | undefined {
  if (/^table=\S*$/.test(by)) return ''
  const own = alarms.find(([, alarm]) => watches(alarm, by))
  return own?.[0].replace(/(?:Unended|Refusing)Alarm$/, '')
}
