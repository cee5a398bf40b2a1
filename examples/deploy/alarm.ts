export interface Watched {
  readonly namespace: string
  readonly metric: string
  readonly of: Readonly<Record<string, unknown>>
  readonly statistic?: 'Maximum' | 'Sum' | 'p99'
  /** The alarm fires above this value. */
  readonly above: number
  /** Seconds, and how many of them in a row. Default one minute. */
  readonly period?: number
  readonly periods?: number
  readonly says: Says
}

/** The text of an alarm: what it means, and what to type next, both as in the runbook. `${…}` as in `Fn::Sub`. */
export interface Says {
  readonly means: string
  readonly next: string
}

export function alarm(watched: Watched): object {
  const {
    namespace,
    metric,
    of,
    statistic = 'Sum',
    above,
    says,
    period = 60,
    periods = 1,
  } = watched
  return {
    Type: 'AWS::CloudWatch::Alarm',
    Properties: {
      ...goesOff(says, above),
      Namespace: namespace,
      MetricName: metric,
      Dimensions: dimensions(of),
      ...(statistic === 'p99' ? { ExtendedStatistic: 'p99' } : { Statistic: statistic }),
      Period: period,
      EvaluationPeriods: periods,
    },
  }
}

/** What all alarms share. */
export function goesOff({ means, next }: Says, above: number): object {
  const text = `${means} Next: ${next}`
  return {
    AlarmDescription: text.includes('${') ? { 'Fn::Sub': text } : text,
    Threshold: above,
    ComparisonOperator: 'GreaterThanThreshold',
    // An empty queue and an idle function report nothing.
    TreatMissingData: 'notBreaching',
    AlarmActions: [{ Ref: 'AlarmTopic' }],
    OKActions: [{ Ref: 'AlarmTopic' }],
  }
}

export function dimensions(of: Readonly<Record<string, unknown>>): object[] {
  return Object.entries(of).map(([Name, Value]) => ({ Name, Value }))
}
