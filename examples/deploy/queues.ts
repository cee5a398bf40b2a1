import { arnOf, type Consumer, pascal, queueArn, queueName } from './consumer.ts'

const DAY = 24 * 60 * 60

/** The queue of a consumer, and where its messages go in the end. */
export function queuesOf({ name, timeout, circuitBreaker }: Consumer): Record<string, unknown> {
  const id = pascal(name)
  const redrive = {
    deadLetterTargetArn: arnOf(`${id}DeadLetters`),
    // 25 receives bear an open circuit for the four days that the queue keeps messages.
    maxReceiveCount: circuitBreaker ? 25 : 10,
  }
  const allow = { redrivePermission: 'byQueue', sourceQueueArns: [queueArn(name)] }
  return {
    [`${id}Queue`]: queue({
      QueueName: queueName(name),
      // A record that is throttled or killed is retried by Lambda first.
      VisibilityTimeout: 6 * timeout,
      MessageRetentionPeriod: 4 * DAY,
      RedrivePolicy: redrive,
    }),
    [`${id}DeadLetters`]: deadLetters({ RedriveAllowPolicy: allow }),
  }
}

/** Keeps longer than its source, since the clock of a message starts at its first queue. */
export function deadLetters(properties: object): object {
  return queue({ MessageRetentionPeriod: 14 * DAY, ...properties })
}

function queue(properties: object): object {
  return {
    Type: 'AWS::SQS::Queue',
    DeletionPolicy: 'RetainExceptOnCreate',
    UpdateReplacePolicy: 'Retain',
    Properties: { SqsManagedSseEnabled: true, ...properties },
  }
}
