import { localQueueArn, REGION } from '../description/arn.ts'
import type {
  QueueDescription,
  TopicDescription,
  SubscriptionDescription,
} from '../description/description.ts'
import { isFifoName } from '../../queues/arns.ts'
import { loadFauxqs } from './loadFauxqs.ts'
import { type Depth, type QueueContents, toContents, toDepth } from './queueContents.ts'
import { onLoopback } from './onLoopback.ts'

/** SQS, SNS and S3, in this process. */
export interface Messaging {
  readonly endpoint: string
  createQueue(name: string, queue: QueueDescription): void
  createTopic(name: string, topic: TopicDescription): void
  createBucket(name: string): void
  inspect(queue: string): QueueContents
  depth(queue: string): Depth
  /** The ARN of the queue from which the message was moved to its dead letter queue. */
  deadLetterSourceOf(messageId: string): string | undefined
  stop(): Promise<void>
}

/** Starts fauxqs on a free port. */
export async function startMessaging(): Promise<Messaging> {
  const { startFauxqs } = await loadFauxqs()
  const server = await onLoopback(() =>
    startFauxqs({
      port: 0,
      logger: false,
      defaultRegion: REGION,
      messageSpies: { bufferSize: 1 },
    }),
  )
  const moved = new Map<string, string>()
  // A filter that never matches sees every event until the server stops.
  void server.spy.waitForMessage((event) => {
    if (event.service === 'sqs' && event.status === 'dlq') {
      moved.set(event.messageId, localQueueArn(event.queueName))
    }
    return false
  })
  return {
    endpoint: `http://127.0.0.1:${server.port}`,
    createQueue: (name, queue) => {
      server.createQueue(name, { attributes: queueAttributes(name, queue) })
    },
    createTopic: (name, topic) => {
      server.createTopic(name, { attributes: topicAttributes(name, topic) })
      for (const subscription of topic.subscriptions ?? []) {
        const attributes = subscriptionAttributes(subscription)
        server.subscribe({ topic: name, queue: subscription.queue, attributes })
      }
    },
    createBucket: (name) => server.createBucket(name),
    inspect: (name) => {
      return toContents(server.inspectQueue(name))
    },
    depth: (name) => {
      return toDepth(server.inspectQueue(name))
    },
    deadLetterSourceOf: (messageId) => moved.get(messageId),
    stop: () => server.stop(),
  }
}

/** The attributes of CreateQueue for a described queue. All of them are texts. */
function queueAttributes(name: string, queue: QueueDescription): Record<string, string> {
  const { visibilityTimeout, delay, maximumMessageSize, deadLetter } = queue
  return withoutUndefined({
    VisibilityTimeout: visibilityTimeout?.toString(),
    DelaySeconds: delay?.toString(),
    MaximumMessageSize: maximumMessageSize?.toString(),
    RedrivePolicy: deadLetter && redrivePolicy(deadLetter.queue, deadLetter.maxReceiveCount),
    ...fifoAttributes('FifoQueue', name, queue),
  })
}

function topicAttributes(name: string, topic: TopicDescription): Record<string, string> {
  return fifoAttributes('FifoTopic', name, topic)
}

function redrivePolicy(queue: string, maxReceiveCount: number): string {
  return JSON.stringify({ deadLetterTargetArn: localQueueArn(queue), maxReceiveCount })
}

function fifoAttributes(
  kind: 'FifoQueue' | 'FifoTopic',
  name: string,
  { contentBasedDeduplication = false }: { readonly contentBasedDeduplication?: boolean },
): Record<string, string> {
  if (!isFifoName(name)) return {}
  return { [kind]: 'true', ContentBasedDeduplication: String(contentBasedDeduplication) }
}

function subscriptionAttributes(subscription: SubscriptionDescription): Record<string, string> {
  const { raw = false, filterPolicy, filterPolicyScope } = subscription
  return withoutUndefined({
    RawMessageDelivery: String(raw),
    FilterPolicy: filterPolicy && JSON.stringify(filterPolicy),
    FilterPolicyScope: filterPolicyScope,
  })
}

function withoutUndefined(attributes: Record<string, string | undefined>): Record<string, string> {
  const entries = Object.entries(attributes)
  return Object.fromEntries(
    entries.flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])),
  )
}
