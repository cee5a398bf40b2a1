import { Duration } from 'aws-cdk-lib'
import { type IMetric, MathExpression, type Metric } from 'aws-cdk-lib/aws-cloudwatch'
import type { IFunction } from 'aws-cdk-lib/aws-lambda'
import type { IQueue } from 'aws-cdk-lib/aws-sqs'
import { metricOf, type Watched } from './alarms.ts'

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
  return {
    ...ofQueues(consumer),
    ...ofFunction(consumer),
    UnendedAlarm: unended(consumer.reportsAs),
  }
}

function ofQueues({
  queue,
  deadLetterQueue,
  undelivered,
  maxMessageAge = Duration.minutes(15),
}: WatchedConsumer): Record<string, Watched> {
  const lost = Object.entries(undelivered).map(([id, each]) => [
    `${id}Alarm`,
    deadLetters(each, 'SNS could not deliver notifications: lineclear doctor --queue QUEUE'),
  ])
  return {
    AgeAlarm: {
      metric: ofQueue(queue, 'ApproximateAgeOfOldestMessage'),
      above: maxMessageAge.toSeconds(),
      says: `A message has waited for ${maxMessageAge.toHumanString()}: the consumer is slow, throttled or failing.`,
    },
    DeadLettersAlarm: deadLetters(
      deadLetterQueue,
      'Dead letters wait for an operator: lineclear dlq groups QUEUE',
    ),
    ...(Object.fromEntries(lost) as Record<string, Watched>),
  }
}

// NumberOfMessagesSent does not count what SQS itself moves there.
function deadLetters(queue: IQueue, says: string): Watched {
  return { metric: ofQueue(queue, 'ApproximateNumberOfMessagesVisible'), says }
}

function ofQueue({ queueName: QueueName }: IQueue, metric: string): IMetric {
  return metricOf('AWS/SQS', metric, 'Maximum', { QueueName })
}

/** A function's own alarms, by id. Those of the sweeper are the same. */
export function ofFunction({
  function: { functionName: FunctionName },
  timeout,
}: Pick<WatchedConsumer, 'function' | 'timeout'>): Record<string, Watched> {
  const metric = (name: string, statistic = 'Sum'): Metric =>
    metricOf('AWS/Lambda', name, statistic, { FunctionName })
  return {
    ErrorsAlarm: { metric: metric('Errors'), says: 'An invocation failed as a whole.' },
    ThrottlesAlarm: { metric: metric('Throttles'), says: 'Lambda had no room for an invocation.' },
    RecursionAlarm: {
      metric: metric('RecursiveInvocationsDropped'),
      says: 'Lambda cut a chain of re-sends: its message is in the dead-letter queue.',
    },
    DurationAlarm: {
      metric: metric('Duration', 'p99'),
      above: timeout.toMilliseconds() * 0.8,
      says: 'Invocations come near to their timeout.',
    },
  }
}

/** Fires when, for a quarter of an hour, handlers start more often than they complete: they fail, or crash half-way. */
function unended(reportsAs: Readonly<Record<string, string>>): Watched {
  const sum = (name: string): Metric =>
    metricOf('Lineclear', name, 'Sum', reportsAs, Duration.minutes(5))
  return {
    metric: new MathExpression({
      expression: 'FILL(started, 0) - FILL(completed, 0)',
      usingMetrics: { started: sum('started'), completed: sum('completed') },
      label: 'begun, not completed',
      period: Duration.minutes(5),
    }),
    above: 10,
    periods: 3,
    says: 'More attempts begin than complete: they fail, or die half-way.',
  }
}
