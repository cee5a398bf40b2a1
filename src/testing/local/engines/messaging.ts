import { localQueueArn, REGION } from '../description/arn.ts'
import type { QueueDescription, TopicDescription } from '../description/description.ts'
import { queueAttributes, subscriptionAttributes, topicAttributes } from './engineAttributes.ts'
import { loadFauxqs } from './loadFauxqs.ts'
import { toRecord } from '../../../queue/receivedRecord.ts'
import { openMessage, type OpenedMessage } from '../../queues/openMessage.ts'
import { onLoopback } from './onLoopback.ts'

/** A message in a queue. `body` is the raw body: SNS's notification if the message came from a topic. */
export interface QueuedMessage extends Pick<
  OpenedMessage,
  'messageId' | 'body' | 'receiveCount' | 'attributes' | 'carried'
> {}

/** How many messages a queue holds, by state. */
export interface Depth {
  readonly ready: number
  readonly delayed: number
  readonly inFlight: number
}

/** The messages in a queue, by state. Reading them changes nothing. */
export interface QueueContents {
  readonly ready: readonly QueuedMessage[]
  readonly delayed: readonly QueuedMessage[]
  readonly inFlight: readonly QueuedMessage[]
}

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
      const { ready, delayed, inflight } = server.inspectQueue(name)?.messages ?? NOTHING
      return {
        ready: ready.map(toQueued),
        delayed: delayed.map(toQueued),
        inFlight: inflight.map(({ message }) => toQueued(message)),
      }
    },
    depth: (name) => {
      const { ready, delayed, inflight } = server.inspectQueue(name)?.messages ?? NOTHING
      return { ready: ready.length, delayed: delayed.length, inFlight: inflight.length }
    },
    deadLetterSourceOf: (messageId) => moved.get(messageId),
    stop: () => server.stop(),
  }
}

const NOTHING = { ready: [], delayed: [], inflight: [] }

function toQueued(message: {
  readonly messageId: string
  readonly body: string
  readonly approximateReceiveCount: number
  readonly sentTimestamp: number
  readonly messageAttributes: Readonly<
    Record<string, { DataType: string; StringValue?: string; BinaryValue?: string }>
  >
}): QueuedMessage {
  const { messageId, body, approximateReceiveCount } = message
  const record = toRecord(
    {
      MessageId: messageId,
      Body: body,
      Attributes: {
        ApproximateReceiveCount: String(approximateReceiveCount),
        SentTimestamp: String(message.sentTimestamp),
      },
      MessageAttributes: Object.fromEntries(
        Object.entries(message.messageAttributes).map(([name, it]) => [name, toSdk(it)]),
      ),
    },
    localQueueArn('inspected'),
  )
  const { attributes, carried } = openMessage(record, Date.now())
  return { messageId, body, receiveCount: approximateReceiveCount, attributes, carried }
}

function toSdk({
  BinaryValue,
  ...text
}: {
  readonly DataType: string
  readonly StringValue?: string
  readonly BinaryValue?: string
}) {
  if (BinaryValue === undefined) return text
  return { ...text, BinaryValue: Buffer.from(BinaryValue, 'base64') }
}
