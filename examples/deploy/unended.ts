import { alarm, type Says, dimensions, goesOff } from './alarm.ts'

type Dimensions = Readonly<Record<string, string>>

/** A dimension of every metric of Lineclear's. */
const TABLE = { table: { Ref: 'LineclearTable' } }

/**
 * Fires when attempts are lost in each five minutes of a quarter of an hour: they are killed, or cut off by the timeout. One that
 * fails or is superseded has ended, and does not count.
 */
export function unendedAlarm(id: string, reportsAs: Dimensions): object {
  const means = 'Attempts are killed or cut off by the timeout, again and again.'
  return {
    [`${id}UnendedAlarm`]: alarm({
      namespace: 'Lineclear',
      metric: 'lostAttempts',
      of: { ...TABLE, ...reportsAs },
      above: 0,
      period: 300,
      periods: 3,
      says: { means, next: `lineclear ls ${flagOf(reportsAs)}` },
    }),
  }
}

/** Fires when calls are refused because of the set-up or the table, or their end could not be stored. */
export function refusingAlarm(id: string, name: string, metrics: readonly string[]): object {
  const says: Says = {
    means:
      'Calls are refused, or their end is not stored: an option is wrong, or the table does not answer.',
    next: `lineclear ls --consumer ${name}`,
  }
  const sums = metrics.map((MetricName) => ({
    Id: MetricName.toLowerCase(),
    ReturnData: false,
    MetricStat: {
      Metric: { Namespace: 'Lineclear', MetricName, Dimensions: dimensions({ ...TABLE, name }) },
      Stat: 'Sum',
      Period: 60,
    },
  }))
  const Expression = sums.map(({ Id }) => `FILL(${Id}, 0)`).join(' + ')
  return {
    [`${id}RefusingAlarm`]: {
      Type: 'AWS::CloudWatch::Alarm',
      Properties: {
        ...goesOff(says, 0),
        Metrics: [{ Id: 'refused', Expression, Label: 'refused' }, ...sums],
        EvaluationPeriods: 3,
      },
    },
  }
}

/** What names it on the command line. */
export function flagOf({ flow, consumer, name }: Dimensions): string {
  return flow === undefined ? `--consumer ${consumer ?? name}` : `--flow ${flow}`
}
