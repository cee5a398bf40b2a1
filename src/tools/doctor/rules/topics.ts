import type { Deployment, DeployedQueue, Subscription } from '../deployment.ts'
import { type DeliveryRule, SNS_PAGES } from '../rule.ts'
import { isPerhaps, sends } from './mappedQueues.ts'

const deadLetter: DeliveryRule = {
  id: 'subscription-dead-letter',
  severity: 'error',
  needs: ['topics'],
  source: `${SNS_PAGES}/sns-dead-letter-queues.html`,
  check: ({ subscriptions, queues }) =>
    subscriptions.flatMap((subscription) => {
      const { id, queue, deadLetter: target } = subscription
      const shared = queues.some(
        (source) =>
          source.id === queue && target !== undefined && source.deadLetter?.queue === target,
      )
      if (target !== undefined && !shared) return []
      return [
        {
          subject: id,
          problem: shared
            ? 'Undelivered notifications go to the dead-letter queue of the queue itself.'
            : 'It has no dead-letter queue.',
          consequence: shared
            ? 'They cannot be told apart from failed records, nor redriven.'
            : 'While a queue policy or key is wrong, every notification is lost.',
          cure: 'Set RedrivePolicy on the subscription, with a queue of its own.',
        },
      ]
    }),
}

const raw: DeliveryRule = {
  id: 'raw-delivery',
  severity: 'warning',
  needs: ['topics'],
  source: `${SNS_PAGES}/sns-message-attributes.html`,
  check: ({ subscriptions }) =>
    subscriptions
      .filter(({ delivery }) => delivery === 'raw')
      .map(({ id }) => ({
        subject: id,
        problem: 'Raw delivery is on.',
        consequence:
          'The SNS message id, the identity of its copies, is gone, and attributes beyond 10 are discarded.',
        cure: 'Set RawMessageDelivery: false, or send with uniquerequestid (producer).',
      })),
}

const type: DeliveryRule = {
  id: 'subscription-type',
  severity: 'error',
  needs: ['topics'],
  source: `${SNS_PAGES}/fifo-message-delivery.html`,
  check: ({ subscriptions, topics, queues }) =>
    subscriptions.flatMap(({ id, topic, queue }) => {
      const from = topics.find((each) => each.id === topic)
      const to = queues.find((each) => each.id === queue)
      if (from?.kind !== 'standard' || to?.kind !== 'fifo') return []
      return [
        {
          subject: id,
          problem: 'A FIFO queue subscribes to a standard topic.',
          consequence: 'SNS refuses the subscription, and the deployment fails.',
          cure: 'Make the topic FIFO, or the queue standard.',
        },
      ]
    }),
}

const policy: DeliveryRule = {
  id: 'queue-policy',
  severity: 'error',
  needs: ['topics'],
  source: `${SNS_PAGES}/subscribe-sqs-queue-to-sns-topic.html`,
  check: (deployment) =>
    deployment.subscriptions.flatMap((subscription) =>
      targets(deployment, subscription)
        .filter((queue) => !admits(queue, subscription.topic))
        .map(({ id }) => ({
          subject: id,
          problem: `Its policy does not allow ${subscription.topic}, and only that topic, to send to it.`,
          consequence:
            'SNS drops what it may not deliver, or any topic of any account may send here.',
          cure: `Allow sns.amazonaws.com sqs:SendMessage, with aws:SourceArn = ${subscription.topic}.`,
        })),
    ),
}

function targets(
  { queues }: Deployment,
  { queue, deadLetter: dead }: Subscription,
): DeployedQueue[] {
  return queues.filter(({ id }) => id === queue || id === dead)
}

function admits({ policy: statements }: DeployedQueue, topic: string): boolean {
  const toSns = statements.filter(
    ({ effect, principals }) =>
      effect === 'Allow' && (principals.includes('sns.amazonaws.com') || principals.includes('*')),
  )
  return (
    toSns.some(sends) &&
    toSns.every(({ sourceArns }) => sourceArns.length > 0) &&
    toSns.some(({ sourceArns }) => sourceArns.some((arn) => isPerhaps(arn, topic)))
  )
}

const key: DeliveryRule = {
  id: 'queue-key',
  severity: 'error',
  needs: ['topics'],
  source: `${SNS_PAGES}/sns-enable-encryption-for-topic-sqs-queue-subscriptions.html`,
  check: (deployment) =>
    deployment.subscriptions
      .flatMap((subscription) => targets(deployment, subscription))
      .filter(({ encryption }) => encryption === 'aws managed kms')
      .map(({ id }) => ({
        subject: id,
        problem: 'It is encrypted with alias/aws/sqs.',
        consequence: 'SNS cannot use that key: notifications are lost.',
        cure: 'Use SqsManagedSseEnabled: true, or a customer key that allows sns.amazonaws.com.',
      })),
}

export const TOPIC_RULES: readonly DeliveryRule[] = [deadLetter, raw, type, policy, key]
