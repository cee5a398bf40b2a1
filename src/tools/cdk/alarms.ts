import { Annotations, Duration } from 'aws-cdk-lib'
import {
  Alarm,
  ComparisonOperator,
  type IMetric,
  Metric,
  TreatMissingData,
} from 'aws-cdk-lib/aws-cloudwatch'
import { SnsAction } from 'aws-cdk-lib/aws-cloudwatch-actions'
import type { ITopic } from 'aws-cdk-lib/aws-sns'
import type { Construct } from 'constructs'

/** What every construct of Lineclear takes for its alarms. */
export interface AlarmProps {
  /** Where its alarms go. Default: the `alarmTopic` of the table. */
  readonly alarmTopic?: ITopic
  /** `false` makes none, such as in a test account. Default `true`. */
  readonly alarms?: boolean
}

/** The text of an alarm: what it means, and what an operator types next. */
export interface Says {
  readonly means: string
  readonly next: string
}

/** An alarm that fires above a value, unless it says otherwise. */
export interface Watched {
  readonly metric: IMetric
  /** Default 0. */
  readonly above?: number
  /** How many periods of the metric in a row. Default 1. */
  readonly periods?: number
  readonly says: Says
  /** `breaching` for a metric whose silence is the fault. Default: missing data is no fault. */
  readonly missing?: 'breaching'
  /** `atMost`: fires at the value and below it. */
  readonly comparison?: 'atMost'
}

/** Makes an alarm for each, by its id. */
export function watch(
  scope: Construct,
  { alarms = true, alarmTopic }: AlarmProps,
  watched: Readonly<Record<string, Watched>>,
): Readonly<Record<string, Alarm>> {
  if (!alarms) return {}
  if (alarmTopic === undefined) {
    Annotations.of(scope).addWarningV2(
      'lineclear:alarms-without-topic',
      'Its alarms notify no one: give alarmTopic.',
    )
  }
  return Object.fromEntries(
    Object.entries(watched).map(([id, each]) => [id, alarmOf(scope, id, each, alarmTopic)]),
  )
}

function alarmOf(scope: Construct, id: string, watched: Watched, topic?: ITopic): Alarm {
  const { metric, above = 0, periods = 1, says, missing, comparison } = watched
  const alarm = new Alarm(scope, id, {
    metric,
    threshold: above,
    evaluationPeriods: periods,
    alarmDescription: `${says.means} Next: ${says.next}`,
    comparisonOperator:
      comparison === 'atMost'
        ? ComparisonOperator.LESS_THAN_OR_EQUAL_TO_THRESHOLD
        : ComparisonOperator.GREATER_THAN_THRESHOLD,
    // An empty queue and an idle function report nothing.
    treatMissingData:
      missing === 'breaching' ? TreatMissingData.BREACHING : TreatMissingData.NOT_BREACHING,
  })
  if (topic !== undefined) {
    alarm.addAlarmAction(new SnsAction(topic))
    alarm.addOkAction(new SnsAction(topic))
  }
  return alarm
}

/** @param period default one minute */
export function metricOf(
  namespace: string,
  metricName: string,
  statistic: string,
  dimensionsMap: Readonly<Record<string, string>> = {},
  period: Duration = Duration.minutes(1),
): Metric {
  return new Metric({ namespace, metricName, statistic, dimensionsMap, period })
}
