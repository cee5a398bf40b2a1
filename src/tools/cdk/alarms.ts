import { Annotations, Duration } from 'aws-cdk-lib'
import {
  Alarm,
  type AlarmProps as CdkAlarmProps,
  ComparisonOperator,
  type IMetric,
  Metric,
  TreatMissingData,
} from 'aws-cdk-lib/aws-cloudwatch'
import { SnsAction } from 'aws-cdk-lib/aws-cloudwatch-actions'
import type { ITopic } from 'aws-cdk-lib/aws-sns'
import type { Construct } from 'constructs'
import type { IFunction } from 'aws-cdk-lib/aws-lambda'
import type { IQueue } from 'aws-cdk-lib/aws-sqs'
import type { ILineclearTable } from './tableGrants.ts'

/** What every construct of Lineclear takes for its alarms. */
export interface AlarmProps {
  /** Where its alarms go. Default: the `alarmTopic` of the table. */
  readonly alarmTopic?: ITopic
  /** `false` makes none, such as in a test account. Default `true`. */
  readonly alarms?: boolean
}

/** An alarm that fires when its metric was above 0 in one period, unless it says otherwise. Missing data is no fault. */
export interface Watched extends Partial<CdkAlarmProps> {
  readonly metric: IMetric
  /** Its description: what it means, and what an operator types next. */
  readonly means: string
  readonly next: string
}

/** Makes an alarm for each, by its id. */
export function watch(
  scope: Construct,
  {
    table,
    alarms = true,
    alarmTopic = table.alarmTopic,
  }: AlarmProps & { readonly table: ILineclearTable },
  watched: Readonly<Record<string, Watched>>,
): Readonly<Record<string, Alarm>> {
  if (!alarms) return {}
  if (alarmTopic === undefined) {
    Annotations.of(scope).addWarningV2(
      'lineclear:alarms-without-topic',
      'Its alarms notify no one: give alarmTopic.',
    )
  }
  const flag = table.ownName === undefined ? '' : ` --table ${table.ownName}`
  return Object.fromEntries(
    Object.entries(watched).map(([id, each]) => {
      const next = each.next.startsWith('lineclear ') ? each.next + flag : each.next
      return [id, alarmOf(scope, id, { ...each, next }, alarmTopic)]
    }),
  )
}

function alarmOf(
  scope: Construct,
  id: string,
  { means, next, ...watched }: Watched,
  topic?: ITopic,
): Alarm {
  const alarm = new Alarm(scope, id, {
    threshold: 0,
    evaluationPeriods: 1,
    comparisonOperator: ComparisonOperator.GREATER_THAN_THRESHOLD,
    // An empty queue and an idle function report nothing.
    treatMissingData: TreatMissingData.NOT_BREACHING,
    alarmDescription: `${means} Next: ${next}`,
    ...watched,
  })
  if (topic !== undefined) {
    alarm.addAlarmAction(new SnsAction(topic))
    alarm.addOkAction(new SnsAction(topic))
  }
  return alarm
}

/** @param period default one minute */
export function cdkMetric(
  namespace: string,
  metricName: string,
  statistic: string,
  dimensionsMap: Readonly<Record<string, string>> = {},
  period: Duration = Duration.minutes(1),
): Metric {
  return new Metric({ namespace, metricName, statistic, dimensionsMap, period })
}

interface WatchedConsumer {
  readonly queue: IQueue
  readonly deadLetterQueue: IQueue
  readonly undelivered: Readonly<Record<string, IQueue>>
  readonly function: IFunction
  readonly timeout: Duration
  readonly maxMessageAge?: Duration | undefined
  readonly tableName: string
  /** The dimensions of its metrics, beside the table. */
  readonly reportsAs: Readonly<Record<string, string>>
}

export function consumerAlarms(consumer: WatchedConsumer): Record<string, Watched> {
  const { queue, deadLetterQueue, reportsAs, tableName } = consumer
  return {
    ...ofQueues(consumer),
    ...ofFunction(consumer, {
      errors: `lineclear doctor --queue ${queue.queueName}`,
      duration: `lineclear ls ${flagOf(reportsAs)}`,
    }),
    RecursionAlarm: {
      metric: functionMetric(consumer, 'RecursiveInvocationsDropped'),
      means: 'Lambda has cut a chain of invocations: the message is on the dead-letter queue.',
      next: `lineclear dlq groups ${deadLetterQueue.queueName} --reason moved`,
    },
    UnendedAlarm: unended(reportsAs, tableName),
  }
}

function ofQueues({
  queue,
  deadLetterQueue,
  undelivered,
  maxMessageAge = Duration.minutes(15),
}: WatchedConsumer): Record<string, Watched> {
  const lost = Object.entries(undelivered).map(([id, each]) => {
    const means = 'A notification or an event could not be delivered to the queue.'
    const next = `lineclear doctor --queue ${queue.queueName}`
    return [`${id}Alarm`, { metric: deadLetters(each), means, next }] as const
  })
  return {
    AgeAlarm: {
      metric: ofQueue(queue, 'ApproximateAgeOfOldestMessage'),
      threshold: maxMessageAge.toSeconds(),
      means: `A message has waited for ${maxMessageAge.toHumanString()}: the consumer is slow, throttled, paused or failing.`,
      next: 'lineclear status',
    },
    DeadLettersAlarm: {
      metric: deadLetters(deadLetterQueue),
      means: 'Messages are on the dead-letter queue.',
      next: `lineclear dlq groups ${deadLetterQueue.queueName}`,
    },
    ...Object.fromEntries(lost),
  }
}

// NumberOfMessagesSent does not count what SQS itself moves there.
function deadLetters(queue: IQueue): IMetric {
  return ofQueue(queue, 'ApproximateNumberOfMessagesVisible')
}

function ofQueue({ queueName: QueueName }: IQueue, metric: string): IMetric {
  return cdkMetric('AWS/SQS', metric, 'Maximum', { QueueName })
}

const READ_ITS_LOG = 'nothing: read its log'

type WatchedFunction = Pick<WatchedConsumer, 'function' | 'timeout'>

/** A function's own alarms, by id. The sweeper has the same ones. */
export function ofFunction(
  watched: WatchedFunction,
  next: { readonly errors?: string; readonly duration?: string } = {},
): Record<string, Watched> {
  return {
    ErrorsAlarm: {
      metric: functionMetric(watched, 'Errors'),
      means: 'An invocation failed as a whole.',
      next: next.errors ?? READ_ITS_LOG,
    },
    ThrottlesAlarm: {
      metric: functionMetric(watched, 'Throttles'),
      means: 'Lambda refused an invocation, because a concurrency limit was reached.',
      next: 'nothing at first',
    },
    DurationAlarm: {
      metric: functionMetric(watched, 'Duration', 'p99'),
      threshold: watched.timeout.toMilliseconds() * 0.8,
      means: 'Invocations come near to the timeout.',
      next: next.duration ?? READ_ITS_LOG,
    },
  }
}

function functionMetric(
  { function: { functionName: FunctionName } }: WatchedFunction,
  name: string,
  statistic = 'Sum',
): Metric {
  return cdkMetric('AWS/Lambda', name, statistic, { FunctionName })
}

/**
 * Fires when attempts are lost in each five minutes of a quarter of an hour: they are killed, or cut off by the timeout. One that
 * fails or is superseded has ended, and does not count.
 */
function unended(reportsAs: Readonly<Record<string, string>>, table: string): Watched {
  const of = { ...reportsAs, table }
  return {
    metric: cdkMetric('Lineclear', 'lostAttempts', 'Sum', of, Duration.minutes(5)),
    evaluationPeriods: 3,
    means: 'Attempts are killed or cut off by the timeout, again and again.',
    next: `lineclear ls ${flagOf(reportsAs)}`,
  }
}

/** What names it on the command line. */
function flagOf({ flow, consumer }: Readonly<Record<string, string>>): string {
  return flow === undefined ? `--consumer ${consumer}` : `--flow ${flow}`
}
