import { localQueueArn } from '../description/description.ts'
import { toRecord } from '../../queues/receivedRecord.ts'
import { openMessage, type OpenedMessage } from '../../queues/deliverNext.ts'

/** A message in a queue. `body` is the raw body: SNS's notification if the message came from a topic. */
export interface QueuedMessage extends Pick<
  OpenedMessage,
  'messageId' | 'body' | 'payload' | 'receiveCount' | 'attributes' | 'carried'
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

interface InspectedAttribute {
  readonly DataType: string
  readonly StringValue?: string
  readonly BinaryValue?: string
}

interface InspectedMessage {
  readonly messageId: string
  readonly body: string
  readonly approximateReceiveCount: number
  readonly sentTimestamp: number
  readonly messageAttributes: Readonly<Record<string, InspectedAttribute>>
}

/** A queue as fauxqs shows it, in this process or over HTTP. */
export interface InspectedQueue {
  readonly messages: {
    readonly ready: readonly InspectedMessage[]
    readonly delayed: readonly InspectedMessage[]
    readonly inflight: readonly { readonly message: InspectedMessage }[]
  }
}

const NOTHING: InspectedQueue['messages'] = { ready: [], delayed: [], inflight: [] }

export function toContents(queue: InspectedQueue | undefined): QueueContents {
  const { ready, delayed, inflight } = queue?.messages ?? NOTHING
  return {
    ready: ready.map(toQueued),
    delayed: delayed.map(toQueued),
    inFlight: inflight.map(({ message }) => toQueued(message)),
  }
}

export function messagesIn({ ready, delayed, inFlight }: QueueContents): readonly QueuedMessage[] {
  return [...ready, ...delayed, ...inFlight]
}

export function toDepth(queue: InspectedQueue | undefined): Depth {
  const { ready, delayed, inflight } = queue?.messages ?? NOTHING
  return { ready: ready.length, delayed: delayed.length, inFlight: inflight.length }
}

function toQueued(message: InspectedMessage): QueuedMessage {
  const { body } = message
  const record = toRecord(
    {
      MessageId: message.messageId,
      Body: body,
      Attributes: {
        ApproximateReceiveCount: String(message.approximateReceiveCount),
        SentTimestamp: String(message.sentTimestamp),
      },
      MessageAttributes: Object.fromEntries(
        Object.entries(message.messageAttributes).map(([name, it]) => [name, toSdk(it)]),
      ),
    },
    localQueueArn('inspected'),
  )
  return { ...openMessage(record, Date.now()), body }
}

function toSdk({ BinaryValue, ...text }: InspectedAttribute) {
  if (BinaryValue === undefined) return text
  return { ...text, BinaryValue: Buffer.from(BinaryValue, 'base64') }
}
