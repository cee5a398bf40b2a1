import { dimensions, goesOff } from './alarm.ts'

/** Fires when, for a quarter of an hour, handlers start more often than they complete: they fail, or crash half-way. */
export function unendedAlarm(id: string, reportsAs: Readonly<Record<string, string>>): object {
  const sum = (name: string): object => ({
    Id: name,
    ReturnData: false,
    MetricStat: {
      Metric: { Namespace: 'Lineclear', MetricName: name, Dimensions: dimensions(reportsAs) },
      Stat: 'Sum',
      Period: 300,
    },
  })
  const difference = { Id: 'unended', Expression: 'FILL(started, 0) - FILL(completed, 0)' }
  return {
    [`${id}UnendedAlarm`]: {
      Type: 'AWS::CloudWatch::Alarm',
      Properties: {
        ...goesOff('More attempts begin than complete: they fail, or die half-way.', 10),
        Metrics: [{ ...difference, Label: 'begun, not completed' }, ...NAMES.map(sum)],
        EvaluationPeriods: 3,
      },
    },
  }
}

const NAMES = ['started', 'completed']
