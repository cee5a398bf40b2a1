import { alarm, type Watched } from './alarm.ts'

/** Alarms of a queue, its dead letters and what SNS could not deliver to it. */
export function alarmsOfQueues(id: string, subscribed: boolean): Record<string, unknown> {
  return {
    [`${id}AgeAlarm`]: alarm({
      ...ofQueue(`${id}Queue`, 'ApproximateAgeOfOldestMessage'),
      above: 15 * 60,
      says: 'A message has waited for 15 minutes: the consumer is slow, throttled or failing.',
    }),
    [`${id}DeadLettersAlarm`]: deadLettersAlarm(`${id}DeadLetters`),
    ...(subscribed ? { [`${id}UndeliveredAlarm`]: deadLettersAlarm(`${id}Undelivered`) } : {}),
  }
}

/** Alarms of a table: throttled reads and writes, also of its index, whose throttling blocks writes to the table. */
export function alarmsOfTable(id: string, index?: string): Record<string, unknown> {
  const says = 'DynamoDB throttles: a key or shard is hot, or the account is at its limit.'
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
  const watch = (metric: string, says: string): object =>
    alarm({
      namespace: 'AWS/SNS',
      metric,
      of: { TopicName: { 'Fn::GetAtt': [id, 'TopicName'] } },
      above: 0,
      says,
    })
  return {
    [`${id}FailedAlarm`]: watch('NumberOfNotificationsFailed', 'SNS could not deliver to a queue.'),
    [`${id}LostAlarm`]: watch(
      'NumberOfNotificationsFailedToRedriveToDlq',
      'SNS could not deliver, nor keep: the notification is lost.',
    ),
  }
}

/** Alarms of a function. @param timeout in seconds */
export function alarmsOfFunction(id: string, timeout: number): Record<string, unknown> {
  const watch = (metric: string, says: string): object =>
    alarm({ ...ofFunction(id, metric), above: 0, says })
  return {
    [`${id}ErrorsAlarm`]: watch('Errors', 'An invocation failed as a whole.'),
    [`${id}ThrottlesAlarm`]: watch('Throttles', 'Lambda had no room for an invocation.'),
    [`${id}RecursionAlarm`]: watch(
      'RecursiveInvocationsDropped',
      'Lambda cut a chain of re-sends: its message is in the dead-letter queue.',
    ),
    [`${id}DurationAlarm`]: alarm({
      ...ofFunction(id, 'Duration'),
      statistic: 'p99',
      above: timeout * 800,
      says: 'Invocations come near to their timeout.',
    }),
  }
}

// NumberOfMessagesSent does not count what SQS itself moves there.
function deadLettersAlarm(queue: string): object {
  return alarm({
    ...ofQueue(queue, 'ApproximateNumberOfMessagesVisible'),
    above: 0,
    says: 'Dead letters wait for an operator: lineclear dlq groups QUEUE',
  })
}

function ofQueue(queue: string, metric: string): Omit<Watched, 'above' | 'says'> {
  const of = { QueueName: { 'Fn::GetAtt': [queue, 'QueueName'] } }
  return { namespace: 'AWS/SQS', metric, of, statistic: 'Maximum' }
}

function ofFunction(id: string, metric: string): Omit<Watched, 'above' | 'says'> {
  return { namespace: 'AWS/Lambda', metric, of: { FunctionName: { Ref: `${id}LambdaFunction` } } }
}
