import { arnOf } from './consumer.ts'
import { policy } from './policy.ts'
import { deadLetters } from './queues.ts'

const SNS = 'sns.amazonaws.com'

/** The queue of a consumer on a topic. What SNS cannot deliver goes to a queue of its own. */
export function subscriptionOf(id: string, topic: string): Record<string, unknown> {
  return {
    [`${id}Subscription`]: {
      Type: 'AWS::SNS::Subscription',
      // Before its policy is there, what is published would be refused by the queue, and lost.
      DependsOn: [`${id}QueuePolicy`, `${id}UndeliveredPolicy`],
      Properties: {
        TopicArn: { Ref: topic },
        Protocol: 'sqs',
        Endpoint: arnOf(`${id}Queue`),
        // Raw delivery would take away the SNS message id, which is the identity of the request.
        RawMessageDelivery: false,
        RedrivePolicy: { deadLetterTargetArn: arnOf(`${id}Undelivered`) },
      },
    },
    [`${id}Undelivered`]: deadLetters({}),
    [`${id}QueuePolicy`]: policy(`${id}Queue`, SNS, { Ref: topic }),
    [`${id}UndeliveredPolicy`]: policy(`${id}Undelivered`, SNS, { Ref: topic }),
  }
}
