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

/** The text of an alarm: what it means, and what an operator types next. */
interface Says {
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
  const typed = ({ means, next }: Says): Says => ({
    means,
    next: next.startsWith('lineclear ') ? next + flag : next,
  })
  return Object.fromEntries(
    Object.entries(watched).map(([id, each]) => {
      const says = typed(each.says)
      return [id, alarmOf(scope, id, { ...each, says }, alarmTopic)]
    }),
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

interface WatchedConsumer {
  readonly queue: IQueue
  readonly deadLetterQueue: IQueue
  readonly undelivered: Readonly<Record<string, IQueue>>
  readonly function: IFunction
  readonly timeout: Duration
  readonly maxMessageAge?: Duration | undefined
  /** The dimensions of its metrics. */
  readonly reportsAs: Readonly<Record<string, string>>
}

export function consumerAlarms(consumer: WatchedConsumer): Record<string, Watched> {
  const { queue, deadLetterQueue, reportsAs } = consumer
  return {
    ...ofQueues(consumer),
    ...ofFunction(consumer, {
      errors: `lineclear doctor --queue ${queue.queueName}`,
      duration: `lineclear ls ${flagOf(reportsAs)}`,
    }),
    RecursionAlarm: {
      metric: functionMetric(consumer, 'RecursiveInvocationsDropped'),
      says: {
        means: 'Lambda has cut a chain of invocations: the message is on the dead-letter queue.',
        next: `lineclear dlq groups ${deadLetterQueue.queueName} --reason moved`,
      },
    },
    UnendedAlarm: unended(reportsAs),
  }
}

function ofQueues({
  queue,
  deadLetterQueue,
  undelivered,
  maxMessageAge = Duration.minutes(15),
}: WatchedConsumer): Record<string, Watched> {
  const notDelivered = {
    means: 'A notification or an event could not be delivered to the queue.',
    next: `lineclear doctor --queue ${queue.queueName}`,
  }
  const lost = Object.entries(undelivered).map(([id, each]) => [
    `${id}Alarm`,
    deadLetters(each, notDelivered),
  ])
  return {
    AgeAlarm: {
      metric: ofQueue(queue, 'ApproximateAgeOfOldestMessage'),
      above: maxMessageAge.toSeconds(),
      says: {
        means: `A message has waited for ${maxMessageAge.toHumanString()}: the consumer is slow, throttled, paused or failing.`,
        next: 'lineclear status',
      },
    },
    DeadLettersAlarm: deadLetters(deadLetterQueue, {
      means: 'Messages are on the dead-letter queue.',
      next: `lineclear dlq groups ${deadLetterQueue.queueName}`,
    }),
    ...(Object.fromEntries(lost) as Record<string, Watched>),
  }
}

// NumberOfMessagesSent does not count what SQS itself moves there.
function deadLetters(queue: IQueue, says: Says): Watched {
  return { metric: ofQueue(queue, 'ApproximateNumberOfMessagesVisible'), says }
}

function ofQueue({ queueName: QueueName }: IQueue, metric: string): IMetric {
  return metricOf('AWS/SQS', metric, 'Maximum', { QueueName })
}

const READ_ITS_LOG = 'nothing: read its log'

type WatchedFunction = Pick<WatchedConsumer, 'function' | 'timeout'>

/** A function's own alarms, by id. Those of the sweeper are the same. */
export function ofFunction(
  watched: WatchedFunction,
  next: { readonly errors: string; readonly duration: string } = {
    errors: READ_ITS_LOG,
    duration: READ_ITS_LOG,
  },
): Record<string, Watched> {
  return {
    ErrorsAlarm: {
      metric: functionMetric(watched, 'Errors'),
      says: { means: 'An invocation failed as a whole.', next: next.errors },
    },
    ThrottlesAlarm: {
      metric: functionMetric(watched, 'Throttles'),
      says: {
        means: 'Lambda refused an invocation, because a concurrency limit was reached.',
        next: 'nothing at first',
      },
    },
    DurationAlarm: {
      metric: functionMetric(watched, 'Duration', 'p99'),
      above: watched.timeout.toMilliseconds() * 0.8,
      says: { means: 'Invocations come near to the timeout.', next: next.duration },
    },
  }
}

function functionMetric(
  { function: { functionName: FunctionName } }: WatchedFunction,
  name: string,
  statistic = 'Sum',
): Metric {
  return metricOf('AWS/Lambda', name, statistic, { FunctionName })
}

/**
 * Fires when attempts are lost in each five minutes of a quarter of an hour: they are killed, or cut off by the timeout. One that
 * fails or is superseded has ended, and does not count.
 */
function unended(reportsAs: Readonly<Record<string, string>>): Watched {
  return {
    metric: metricOf('Lineclear', 'lostAttempts', 'Sum', reportsAs, Duration.minutes(5)),
    periods: 3,
    says: {
      means: 'Attempts are killed or cut off by the timeout, again and again.',
      next: `lineclear ls ${flagOf(reportsAs)}`,
    },
  }
}

/** What names it on the command line. */
function flagOf({ flow, consumer }: Readonly<Record<string, string>>): string {
  return flow === undefined ? `--consumer ${consumer}` : `--flow ${flow}`
}
