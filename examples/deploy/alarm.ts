export interface Watched {
  readonly namespace: string
  readonly metric: string
  readonly of: Readonly<Record<string, unknown>>
  readonly statistic?: 'Maximum' | 'Sum' | 'p99'
  /** The alarm fires above this value. */
  readonly above: number
  readonly says: string
}

export function alarm({ namespace, metric, of, statistic = 'Sum', above, says }: Watched): object {
  return {
    Type: 'AWS::CloudWatch::Alarm',
    Properties: {
      ...goesOff(says, above),
      Namespace: namespace,
      MetricName: metric,
      Dimensions: dimensions(of),
      ...(statistic === 'p99' ? { ExtendedStatistic: 'p99' } : { Statistic: statistic }),
      Period: 60,
      EvaluationPeriods: 1,
    },
  }
}

/** What all alarms share. */
export function goesOff(says: string, above: number): object {
  return {
    AlarmDescription: says,
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
