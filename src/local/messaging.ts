import { ConfigError, messageOf } from '../errors.ts'
import { queueArnOf, REGION } from './arn.ts'
import { isFifoName } from './checkDescription.ts'
import type { QueueDescription, SubscriptionDescription, TopicDescription } from './description.ts'

/** A message as it lies in a queue. */
export interface QueuedMessage {
  readonly messageId: string
  readonly body: string
  readonly receiveCount: number
}

/** What is in a queue now; looking changes nothing. */
export interface QueueContents {
  readonly ready: readonly QueuedMessage[]
  readonly delayed: readonly QueuedMessage[]
  readonly inFlight: readonly QueuedMessage[]
}

/** SQS and SNS, in this process. */
export interface Messaging {
  readonly endpoint: string
  createQueue(name: string, queue: QueueDescription): void
  createTopic(name: string, topic: TopicDescription): void
  inspect(queue: string): QueueContents
  /** The ARN of the queue from which the message was moved to its dead letter queue. */
  deadLetterSourceOf(messageId: string): string | undefined
  stop(): Promise<void>
}

/** Starts fauxqs on a free port. */
export async function startMessaging(): Promise<Messaging> {
  const { startFauxqs } = await loadFauxqs()
  await acceptAllOfUnicode()
  const server = await startFauxqs({
    port: 0,
    logger: false,
    defaultRegion: REGION,
    messageSpies: { bufferSize: 1 },
  })
  const moved = new Map<string, string>()
  // A filter sees every event as it happens; one that never matches listens for good.
  void server.spy.waitForMessage((event) => {
    if (event.service === 'sqs' && event.status === 'dlq') {
      moved.set(event.messageId, queueArnOf(event.queueName))
    }
    return false
  })
  return {
    endpoint: `http://127.0.0.1:${server.port}`,
    createQueue: (name, queue) => {
      server.createQueue(name, { attributes: queueAttributes(name, queue) })
    },
    createTopic: (name, topic) => {
      server.createTopic(name, { attributes: fifoAttributes('FifoTopic', name, topic) })
      for (const subscription of topic.subscriptions ?? []) {
        const attributes = subscriptionAttributes(subscription)
        server.subscribe({ topic: name, queue: subscription.queue, attributes })
      }
    },
    inspect: (name) => {
      const { ready, delayed, inflight } = server.inspectQueue(name)?.messages ?? NOTHING
      return {
        ready: ready.map(toQueued),
        delayed: delayed.map(toQueued),
        inFlight: inflight.map(({ message }) => toQueued(message)),
      }
    },
    deadLetterSourceOf: (messageId) => moved.get(messageId),
    stop: () => server.stop(),
  }
}

const NOTHING = { ready: [], delayed: [], inflight: [] }

async function loadFauxqs(): Promise<typeof import('fauxqs')> {
  try {
    return await import('fauxqs')
  } catch (error) {
    throw new ConfigError(
      `startLocalCloud: queues and topics need the package fauxqs, which could not be loaded (${messageOf(error)}). Install it: npm install --save-dev fauxqs`,
      { cause: error },
    )
  }
}

/**
 * fauxqs 2.4.1 refuses bodies with characters beyond U+FFFF: its pattern lacks the flag u. SQS takes them (API_SendMessage.html),
 * so the one pattern that all its checks share is given the right test. Later versions have it right and stay untouched.
 */
async function acceptAllOfUnicode(): Promise<void> {
  const rules = await importRules()
  const pattern = rules?.INVALID_MESSAGE_BODY_CHAR
  if (!(pattern instanceof RegExp) || !pattern.test('\u{1F600}')) return
  const refused = /[^\t\n\r\u{20}-\u{D7FF}\u{E000}-\u{FFFD}\u{10000}-\u{10FFFF}]/u
  pattern.test = (text) => refused.test(text)
}

async function importRules(): Promise<
  { readonly INVALID_MESSAGE_BODY_CHAR?: unknown } | undefined
> {
  try {
    return (await import(
      new URL('./sqs/sqsTypes.js', import.meta.resolve('fauxqs')).href
    )) as object
  } catch {
    return undefined
  }
}

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

function redrivePolicy(queue: string, maxReceiveCount: number): string {
  return JSON.stringify({ deadLetterTargetArn: queueArnOf(queue), maxReceiveCount })
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

function toQueued(message: {
  readonly messageId: string
  readonly body: string
  readonly approximateReceiveCount: number
}): QueuedMessage {
  const { messageId, body, approximateReceiveCount } = message
  return { messageId, body, receiveCount: approximateReceiveCount }
}
