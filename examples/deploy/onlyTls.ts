import { type Consumer, pascal } from './consumer.ts'

/** Refuses what does not come over TLS. IAM alone would allow it: the endpoints of SQS and SNS answer without TLS too. */
export function onlyTls(service: 'sqs' | 'sns', resource: unknown): object {
  return {
    Sid: 'OnlyTls',
    Effect: 'Deny',
    Principal: '*',
    Action: service === 'sqs' ? 'sqs:*' : 'sns:Publish',
    Resource: resource,
    Condition: { Bool: { 'aws:SecureTransport': 'false' } },
  }
}

/** One policy for the queues that have none of their own: a stack has 500 resources at most. */
export function queuesOverTls(consumers: readonly Consumer[]): Record<string, unknown> {
  const queues = [...consumers.flatMap(queuesWithoutPolicy), ...OTHERS]
  return {
    QueuesOverTls: {
      Type: 'AWS::SQS::QueuePolicy',
      Properties: {
        Queues: queues.map((queue) => ({ Ref: queue })),
        // In the policy of a queue, `*` is that queue.
        PolicyDocument: { Version: '2012-10-17', Statement: [onlyTls('sqs', '*')] },
      },
    },
  }
}

/** Queues that others consume. */
const OTHERS = [
  'AirlineQueue',
  'HotelQueue',
  'RebuiltQueue',
  'ReceiptsQueue',
  'AnswersQueue',
  'SettlementUndone',
]

function queuesWithoutPolicy({ name, topic, rule, bucket }: Consumer): string[] {
  const id = pascal(name)
  const hasSource = (topic ?? rule ?? bucket) !== undefined
  return hasSource ? [`${id}DeadLetters`] : [`${id}Queue`, `${id}DeadLetters`]
}

/** A policy replaces the one that a topic is made with, so each says who may publish. */
export function topicsOverTls(): Record<string, unknown> {
  return {
    OrdersTopicPolicy: topicPolicy('OrdersTopic'),
    PaidTopicPolicy: topicPolicy('PaidTopic'),
    // Alarms have no role: without this statement none would reach anybody.
    AlarmTopicPolicy: topicPolicy('AlarmTopic', {
      Effect: 'Allow',
      Principal: { Service: 'cloudwatch.amazonaws.com' },
      Action: 'sns:Publish',
      Resource: { Ref: 'AlarmTopic' },
      Condition: { StringEquals: { 'aws:SourceAccount': { Ref: 'AWS::AccountId' } } },
    }),
  }
}

/** Roles of this account publish by their own policies. */
function topicPolicy(topic: string, ...others: readonly object[]): object {
  const Statement = [onlyTls('sns', { Ref: topic }), ...others]
  return {
    Type: 'AWS::SNS::TopicPolicy',
    Properties: { Topics: [{ Ref: topic }], PolicyDocument: { Version: '2012-10-17', Statement } },
  }
}
