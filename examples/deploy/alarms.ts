interface Watched {
  readonly namespace: string
  readonly metric: string
  readonly of: Readonly<Record<string, unknown>>
  readonly statistic?: 'Maximum' | 'Sum' | 'p99'
  /** Goes off above this. */
  readonly above: number
  readonly says: string
}

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
    says: 'Dead letters: a person has to look.',
  })
}

function ofQueue(queue: string, metric: string): Omit<Watched, 'above' | 'says'> {
  const of = { QueueName: { 'Fn::GetAtt': [queue, 'QueueName'] } }
  return { namespace: 'AWS/SQS', metric, of, statistic: 'Maximum' }
}

function ofFunction(id: string, metric: string): Omit<Watched, 'above' | 'says'> {
  return { namespace: 'AWS/Lambda', metric, of: { FunctionName: { Ref: `${id}LambdaFunction` } } }
}

function alarm({ namespace, metric, of, statistic = 'Sum', above, says }: Watched): object {
  return {
    Type: 'AWS::CloudWatch::Alarm',
    Properties: {
      AlarmDescription: says,
      Namespace: namespace,
      MetricName: metric,
      Dimensions: Object.entries(of).map(([Name, Value]) => ({ Name, Value })),
      ...(statistic === 'p99' ? { ExtendedStatistic: 'p99' } : { Statistic: statistic }),
      Period: 60,
      EvaluationPeriods: 1,
      Threshold: above,
      ComparisonOperator: 'GreaterThanThreshold',
      // An empty queue and an idle function report nothing.
      TreatMissingData: 'notBreaching',
      AlarmActions: [{ Ref: 'AlarmTopic' }],
      OKActions: [{ Ref: 'AlarmTopic' }],
    },
  }
}
