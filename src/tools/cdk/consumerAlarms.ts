import { Duration } from 'aws-cdk-lib'
import type { IMetric, Metric } from 'aws-cdk-lib/aws-cloudwatch'
import type { IFunction } from 'aws-cdk-lib/aws-lambda'
import type { IQueue } from 'aws-cdk-lib/aws-sqs'
import { metricOf, type Says, type Watched } from './alarms.ts'

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
  reportsAs,
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
        next: `lineclear stats ${flagOf(reportsAs)}`,
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
