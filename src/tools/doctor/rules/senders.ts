import type {
  DeployedQueue,
  Deployment,
  EventSource,
  PolicyStatement,
  Subscriber,
  Subscription,
} from '../deployment.ts'
import { type DeliveryRule, EVENTS_PAGES, rule, SNS_PAGES, SQS_PAGES } from '../rule.ts'
import { claims } from './functions.ts'
import { sends } from '../sends.ts'
import { isPerhaps, sources } from './mappedQueues.ts'

export const TOPIC_RULES: readonly DeliveryRule[] = [
  rule({
    id: 'subscription-pending',
    severity: 'error',
    needs: ['topics'],
    source: `${SNS_PAGES}/sns-send-message-to-sqs-cross-account.html`,
    find: ({ silentTopics }) =>
      silentTopics.flatMap(({ id, pending }) => (pending === undefined ? [] : [{ id, pending }])),
    problem: ({ pending }) => `Its subscription to ${pending} is not confirmed.`,
    consequence: 'SNS delivers nothing through it, and keeps nothing for later.',
    cure: 'Subscribe again from the account of the queue, or open the SubscribeURL of the confirmation: a consumer of Lineclear dead-letters it.',
  }),
  rule({
    id: 'subscription-missing',
    severity: 'question',
    needs: ['topics'],
    source: `${SNS_PAGES}/subscribe-sqs-queue-to-sns-topic.html`,
    find: ({ silentTopics }) => silentTopics.filter(({ pending }) => pending === undefined),
    problem:
      'The policy of a queue lets it in, and it has no subscription to a queue that was given.',
    consequence: 'If it is to feed one of them, SNS delivers nothing there.',
    cure: 'Subscribe the queue, or take the topic out of its policy.',
  }),
  rule({
    id: 'subscription-dead-letter',
    severity: 'error',
    needs: ['topics'],
    source: `${SNS_PAGES}/sns-dead-letter-queues.html`,
    find: ({ subscriptions, queues }) => withoutOwnDeadLetters(subscriptions, queues),
    problem: ({ isShared }) =>
      isShared
        ? 'Undelivered notifications go to the dead-letter queue of the queue itself.'
        : 'It has no dead-letter queue.',
    consequence: ({ isShared }) =>
      isShared
        ? 'They cannot be told apart from failed records, nor redriven.'
        : 'While a queue policy or key is wrong, every notification is lost.',
    cure: 'Set RedrivePolicy on the subscription, with a queue of its own.',
  }),
  rule({
    id: 'raw-delivery',
    severity: 'warning',
    needs: ['topics'],
    source: `${SNS_PAGES}/sns-message-attributes.html`,
    find: ({ subscriptions }) => subscriptions.filter(({ delivery }) => delivery === 'raw'),
    problem: 'Raw delivery is on.',
    consequence:
      'The SNS message id, the identity of its copies, is gone, and attributes beyond 10 are discarded.',
    cure: 'Set RawMessageDelivery: false, or send with uniquerequestid (producer).',
  }),
  rule({
    id: 'queue-policy',
    severity: 'error',
    needs: ['topics'],
    source: `${SNS_PAGES}/subscribe-sqs-queue-to-sns-topic.html`,
    find: (deployment) =>
      targets(deployment, deployment.subscriptions).filter(
        ({ policy, sender }) => !admitsOnly(policy, sender.topic),
      ),
    problem: ({ sender: { topic } }) =>
      `Its policy does not allow ${topic}, and only that topic, to send to it.`,
    consequence: 'SNS drops what it may not deliver, or any topic of any account may send here.',
    cure: ({ sender: { topic } }) =>
      `Allow sns.amazonaws.com sqs:SendMessage, with aws:SourceArn = ${topic}.`,
  }),
  rule({
    id: 'queue-key',
    severity: 'error',
    needs: ['topics'],
    source: `${SNS_PAGES}/sns-enable-encryption-for-topic-sqs-queue-subscriptions.html`,
    // The rule `admitted-key` says it of an account, without a look at the topics.
    find: (deployment) =>
      deployment.from === 'account'
        ? []
        : targets(deployment, deployment.subscriptions).filter(hasKeyOfAws),
    problem: 'It is encrypted with alias/aws/sqs.',
    consequence: 'SNS cannot use that key: notifications are lost.',
    cure: 'Use SqsManagedSseEnabled: true, or a customer key that allows sns.amazonaws.com.',
  }),
]

export const EVENT_RULES: readonly DeliveryRule[] = [
  rule({
    id: 'event-queue-policy',
    severity: 'error',
    needs: ['events'],
    source: `${EVENTS_PAGES}/eb-use-resource-based.html`,
    find: (deployment) =>
      targets(deployment, deployment.eventSources).filter(
        ({ policy, sender }) => !admits(policy, sender),
      ),
    problem: ({ sender: { service, id } }) =>
      `Its policy does not allow ${service} to send to it for ${id}.`,
    consequence: ({ sender: { service } }) =>
      service === 's3.amazonaws.com'
        ? 'S3 refuses the notification, and the deployment fails.'
        : 'EventBridge tries no event again that it may not deliver: it is lost.',
    cure: ({ sender: { service, id } }) =>
      `Allow ${service} sqs:SendMessage, with aws:SourceArn = ${id}.`,
  }),
  rule({
    id: 'queue-open',
    severity: 'error',
    needs: [],
    source: `${SQS_PAGES}/sqs-security-best-practices.html`,
    find: ({ queues }) =>
      queues.flatMap(({ id, policy }) => {
        const open = policy.filter(isOpen).flatMap(({ principals }) => principals)
        const [worst] = open.includes('*') ? ['anyone'] : open.filter((each) => SERVICES.has(each))
        return worst === undefined ? [] : [{ id, worst }]
      }),
    problem: ({ worst }) => `Its policy lets ${worst} send to it, for any account.`,
    consequence:
      'Strangers can make requests of any content, and end those of others under their ids.',
    cure: 'Add a condition on aws:SourceArn or aws:SourceAccount, or name the principals.',
  }),
  rule({
    id: 'admitted-key',
    severity: 'error',
    needs: [],
    source: `${SQS_PAGES}/sqs-key-management.html`,
    // A template has the topics, rules and buckets themselves.
    find: ({ from, queues }) =>
      from === 'account' ? queues.filter(hasKeyOfAws).flatMap(admittedServices) : [],
    problem: ({ service }) =>
      `It is encrypted with alias/aws/sqs, and its policy lets ${service} send to it.`,
    consequence: ({ service }) =>
      `${service} cannot use that key: what it sends is lost, unless its own dead-letter queue keeps it.`,
    cure: ({ service }) =>
      `Set SqsManagedSseEnabled: true, or a customer key that allows ${service}. Then redrive what was kept.`,
  }),
  rule({
    id: 'event-dead-letter',
    severity: 'error',
    needs: ['events'],
    source: `${EVENTS_PAGES}/eb-rule-dlq.html`,
    find: ({ eventSources, queues }) =>
      withoutOwnDeadLetters(
        eventSources.filter(({ service }) => service === 'events.amazonaws.com'),
        queues,
      ),
    problem: ({ isShared, queue }) =>
      isShared
        ? `What it cannot deliver goes to the dead-letter queue of ${queue} itself.`
        : `Its target ${queue} has no dead-letter queue.`,
    consequence: ({ isShared }) =>
      isShared
        ? 'It cannot be told apart from failed records, nor redriven.'
        : 'While a queue policy or key is wrong, every event is lost.',
    cure: 'Set DeadLetterConfig on the target, with a queue of its own.',
  }),
  rule({
    id: 'subscriber-dead-letter',
    severity: 'error',
    needs: ['events'],
    source: `${EVENTS_PAGES}/eb-custom-bus-retry.html`,
    find: ({ subscribers, queues }) => withoutOwnDeadLetters(subscribers, queues),
    problem: ({ isShared, queue }) =>
      isShared
        ? `What it cannot deliver goes to the dead-letter queue of ${queue} itself.`
        : 'It has no OnFailureConfiguration.',
    consequence: ({ isShared }) =>
      isShared
        ? 'Its record is not the event: it cannot be redriven with failed records.'
        : 'EventBridge tries an event for five minutes, unless RetryPolicy says otherwise, and drops it.',
    cure: 'Set OnFailureConfiguration.Arn to a queue of its own, alarm on it, and MaxEventAgeInSeconds of RetryPolicy to 86400.',
  }),
  rule({
    id: 'subscriber-identity',
    severity: 'question',
    needs: ['events', 'mappings'],
    source: `${EVENTS_PAGES}/eb-custom-bus-transform.html`,
    find: (deployment) => {
      const consumed = new Set(sources(deployment).map(({ id }) => id))
      return deployment.subscribers.filter(
        ({ queue, identity }) => consumed.has(queue) && identity === 'left out',
      )
    },
    problem: 'It delivers neither metadata nor the attribute uniquerequestid.',
    consequence:
      'An event of PutRawEvents then has no identity of its own: delivered twice it runs twice, unless the consumer has the option id.',
    cure: 'Set Transformer.Type: WITH_METADATA and open its events with eventBridge(), or set the attribute uniquerequestid from aws:EventId.',
  }),
  rule({
    id: 'subscriber-batch',
    severity: 'warning',
    needs: ['events', 'functions', 'roles'],
    source: `${EVENTS_PAGES}/eb-custom-bus-target-lambda.html`,
    find: (deployment) =>
      deployment.subscribers.filter(
        ({ queue, batch }) =>
          batch === 'several' &&
          deployment.functions.some((each) => each.id === queue && claims(deployment, each)),
      ),
    problem: ({ queue }) => `It delivers lists of events to ${queue}.`,
    consequence:
      'An event comes back in another list, so invocationHandler refuses a list, unless its option key names what is in it: no event is worked on.',
    cure: 'Set BatchConfiguration.MaxBatchSize: 1, or deliver to a queue.',
  }),
  rule({
    id: 'event-queue-key',
    severity: 'error',
    needs: ['events'],
    source: `${SQS_PAGES}/sqs-key-management.html`,
    find: (deployment) => targets(deployment, deployment.eventSources).filter(hasKeyOfAws),
    problem: 'It is encrypted with alias/aws/sqs.',
    consequence: ({ sender: { service } }) => `${service} cannot use that key: events are lost.`,
    cure: ({ sender: { service } }) =>
      `Use SqsManagedSseEnabled: true, or a customer key that allows ${service}.`,
  }),
]

/** What sends to a queue: its notifications and events, and to another queue what it could not deliver. */
type Sender = Subscription | EventSource | Subscriber

/** The queues that a sender has, with the sender. */
function targets<From extends Sender>(
  { queues }: Deployment,
  senders: readonly From[],
): readonly (DeployedQueue & { readonly sender: From })[] {
  return senders.flatMap((sender) =>
    queues
      .filter(({ id }) => id === sender.queue || id === sender.deadLetter)
      .map((queue) => ({ ...queue, sender })),
  )
}

function withoutOwnDeadLetters(
  senders: readonly Sender[],
  queues: readonly DeployedQueue[],
): readonly { readonly id: string; readonly queue: string; readonly isShared: boolean }[] {
  return senders.flatMap(({ id, queue, deadLetter }) => {
    const own = queues.find((each) => each.id === queue)?.deadLetter?.queue
    const isShared = deadLetter !== undefined && deadLetter === own
    return deadLetter === undefined || isShared ? [{ id, queue, isShared }] : []
  })
}

function hasKeyOfAws({ encryption }: DeployedQueue): boolean {
  return encryption === 'aws managed kms'
}

/** Services that its policy lets send, each once. */
function admittedServices({
  id,
  policy,
}: DeployedQueue): readonly { readonly id: string; readonly service: string }[] {
  const sending = policy.filter((each) => each.effect === 'Allow' && sends(each))
  const services = new Set(sending.flatMap(({ principals }) => principals).filter(isService))
  return [...services].map((service) => ({ id, service }))
}

function isService(principal: string): boolean {
  return principal.endsWith('.amazonaws.com')
}

function admitsOnly(policy: readonly PolicyStatement[], topic: string): boolean {
  const toSns = policy.filter((each) => allows(each, 'sns.amazonaws.com'))
  return (
    toSns.some(sends) &&
    toSns.every(({ sourceArns }) => sourceArns.length > 0) &&
    toSns.some(({ sourceArns }) => sourceArns.some((arn) => isPerhaps(arn, topic)))
  )
}

function admits(policy: readonly PolicyStatement[], { id, service }: EventSource): boolean {
  return policy.some((each) => {
    const { sourceArns } = each
    if (!allows(each, service) || !sends(each)) return false
    return sourceArns.length === 0 || sourceArns.some((arn) => isPerhaps(arn, id))
  })
}

function allows({ effect, principals }: PolicyStatement, service: string): boolean {
  return effect === 'Allow' && (principals.includes(service) || principals.includes('*'))
}

/** They send for every principal that may configure them. Topics: `queue-policy`. */
const SERVICES: ReadonlySet<string> = new Set(['events.amazonaws.com', 's3.amazonaws.com'])

function isOpen({ effect, actions, isConditional }: PolicyStatement): boolean {
  return effect === 'Allow' && !isConditional && sends({ actions })
}
