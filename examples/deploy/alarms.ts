import { alarm, type Says, type Watched } from './alarm.ts'
import { flagOf } from './unended.ts'

/** Alarms of a queue, its dead letters and what SNS could not deliver to it. */
export function alarmsOfQueues(id: string, subscribed: boolean): Record<string, unknown> {
  return {
    [`${id}AgeAlarm`]: alarm({
      ...ofQueue(`${id}Queue`, 'ApproximateAgeOfOldestMessage'),
      above: 15 * 60,
      says: {
        means:
          'A message has waited for 15 minutes: the consumer is slow, throttled, paused or failing.',
        next: 'lineclear status',
      },
    }),
    [`${id}DeadLettersAlarm`]: alarm({
      ...deadLettersOf(`${id}DeadLetters`),
      says: {
        means: 'Messages are on the dead-letter queue.',
        next: `lineclear dlq groups \${${id}DeadLetters.QueueName}`,
      },
    }),
    ...(subscribed
      ? {
          [`${id}UndeliveredAlarm`]: alarm({
            ...deadLettersOf(`${id}Undelivered`),
            says: {
              means: 'A notification or an event could not be delivered to the queue.',
              next: `lineclear doctor --queue \${${id}Queue.QueueName}`,
            },
          }),
        }
      : {}),
  }
}

/** What Lambda could not run after its retries. */
export function alarmOfFailures(queue: string, name: string): Record<string, unknown> {
  const says = {
    means: 'Lambda has given up an event after its retries.',
    next: `lineclear ls --consumer ${name}`,
  }
  return { [`${queue}Alarm`]: alarm({ ...deadLettersOf(queue), says }) }
}

/** Alarms of a table: throttled reads and writes, also of its index, whose throttling blocks writes to the table. */
export function alarmsOfTable(id: string, index?: string): Record<string, unknown> {
  const says = {
    means: 'DynamoDB throttles: a key or shard is hot, or the account is at its limit.',
    next: 'lineclear status',
  }
  const watch = (metric: string, of: object): object =>
    alarm({
      namespace: 'AWS/DynamoDB',
      metric,
      of: { TableName: { Ref: id }, ...of },
      above: 0,
      says,
    })
  return {
    [`${id}ReadThrottlesAlarm`]: watch('ReadThrottleEvents', {}),
    [`${id}WriteThrottlesAlarm`]: watch('WriteThrottleEvents', {}),
    ...(index === undefined
      ? {}
      : {
          [`${id}IndexThrottlesAlarm`]: watch('WriteThrottleEvents', {
            GlobalSecondaryIndexName: index,
          }),
        }),
  }
}

/** Alarms of a topic: what it could deliver neither to a queue nor to the dead-letter queue of the subscription. */
export function alarmsOfTopic(id: string): Record<string, unknown> {
  const watch = (metric: string, means: string): object =>
    alarm({
      namespace: 'AWS/SNS',
      metric,
      of: { TopicName: { 'Fn::GetAtt': [id, 'TopicName'] } },
      above: 0,
      says: { means, next: 'lineclear doctor --queue QUEUE' },
    })
  return {
    [`${id}FailedAlarm`]: watch(
      'NumberOfNotificationsFailed',
      'SNS could not deliver to a queue of the topic.',
    ),
    [`${id}LostAlarm`]: watch(
      'NumberOfNotificationsFailedToRedriveToDlq',
      'SNS could neither deliver nor keep a notification: it is lost.',
    ),
  }
}

/** Alarms of a function that consumes a queue. @param timeout in seconds */
export function alarmsOfConsumer(
  id: string,
  reportsAs: Readonly<Record<string, string>>,
  timeout: number,
): Record<string, unknown> {
  return {
    ...alarmsOfFunction(id, timeout, {
      errors: `lineclear doctor --queue \${${id}Queue.QueueName}`,
      duration: `lineclear ls ${flagOf(reportsAs)}`,
    }),
    [`${id}RecursionAlarm`]: alarm({
      ...ofFunction(id, 'RecursiveInvocationsDropped'),
      above: 0,
      says: {
        means: 'Lambda has cut a chain of invocations: the message is on the dead-letter queue.',
        next: `lineclear dlq groups \${${id}DeadLetters.QueueName} --reason moved`,
      },
    }),
  }
}

const READ_ITS_LOG = 'nothing: read its log'

/** Alarms of any function. @param timeout in seconds */
export function alarmsOfFunction(
  id: string,
  timeout: number,
  next = { errors: READ_ITS_LOG, duration: READ_ITS_LOG },
): Record<string, unknown> {
  const watch = (metric: string, says: Says): object =>
    alarm({ ...ofFunction(id, metric), above: 0, says })
  return {
    [`${id}ErrorsAlarm`]: watch('Errors', {
      means: 'An invocation failed as a whole.',
      next: next.errors,
    }),
    [`${id}ThrottlesAlarm`]: watch('Throttles', {
      means: 'Lambda refused an invocation, because a concurrency limit was reached.',
      next: 'nothing at first',
    }),
    [`${id}DurationAlarm`]: alarm({
      ...ofFunction(id, 'Duration'),
      statistic: 'p99',
      above: timeout * 800,
      says: { means: 'Invocations come near to the timeout.', next: next.duration },
    }),
  }
}

// NumberOfMessagesSent does not count what SQS itself moves there.
function deadLettersOf(queue: string): Omit<Watched, 'says'> {
  return { ...ofQueue(queue, 'ApproximateNumberOfMessagesVisible'), above: 0 }
}

function ofQueue(queue: string, metric: string): Omit<Watched, 'above' | 'says'> {
  const of = { QueueName: { 'Fn::GetAtt': [queue, 'QueueName'] } }
  return { namespace: 'AWS/SQS', metric, of, statistic: 'Maximum' }
}

function ofFunction(id: string, metric: string): Omit<Watched, 'above' | 'says'> {
  return { namespace: 'AWS/Lambda', metric, of: { FunctionName: { Ref: `${id}LambdaFunction` } } }
}
