import { FORMAT } from '../../../library/base/format.ts'
import { randomUUID } from 'node:crypto'
import {
  ID_ATTRIBUTE,
  PACKED_ATTRIBUTE,
} from '../../../library/protocol/record/envelope/lineclearAttributes.ts'
import { systemClock } from '../../../library/base/clock.ts'
import { bodyText } from '../../events/sqsEvent.ts'
import { snsWrapped } from '../../events/snsWrapped.ts'
import { isFifoName } from '../../queues/description.ts'
import type { LocalCloud } from '../cloud/openCloud.ts'
import type { CloudDescription } from '../description/description.ts'
import { messagesIn } from '../engines/queueContents.ts'
import { missing } from '../sdk/clients.ts'

/** A message to send, once or several times. */
export interface Sending {
  /** A queue, or a topic that delivers to all its queues. */
  readonly to: string
  /** A text is sent as it is. */
  readonly payload: unknown
  /** Stamped on the message. */
  readonly uniqueRequestId?: string
  /** How often it is delivered: a copy has the identity of the first. Default 1. */
  readonly copies?: number
  /** To a queue by this topic. */
  readonly bySns?: string
  /** On a FIFO queue. */
  readonly group?: string
}

export interface SentDelivery {
  /** The id of the request, unless its handler reads the id from the payload. */
  readonly request: string
  readonly deliveries: readonly { readonly queue: string; readonly messageId: string }[]
}

type Attributes = Record<string, { DataType: 'String'; StringValue: string }>

/** @throws the SDK's error when SQS or SNS refuses it */
export async function sendToCloud(
  cloud: LocalCloud,
  { queues: described = {}, topics = {} }: CloudDescription,
  sending: Sending,
): Promise<SentDelivery> {
  const { to, bySns, copies = 1 } = sending
  // A queue and a topic may have the same name.
  const topic = bySns ?? (Object.hasOwn(described, to) ? undefined : to)
  if (topic === undefined) return sendCopies(cloud, sending, copies)
  const queues = (topics[topic]?.subscriptions ?? []).map(({ queue }) => queue)
  const before = new Map(queues.map((queue) => [queue, idsIn(cloud, queue)]))
  const first = await publish(cloud, topic, sending)
  // A moment later a consumer may have taken and deleted it.
  const deliveries = queues.flatMap((queue) =>
    [...idsIn(cloud, queue)]
      .filter((id) => before.get(queue)?.has(id) !== true)
      .map((messageId) => ({ queue, messageId })),
  )
  for (let copy = 2; copy <= copies; copy++) {
    for (const { queue, raw = false } of topics[topic]?.subscriptions ?? []) {
      const messageId = await deliverAgain(cloud, queue, topic, raw, sending, first)
      deliveries.push({ queue, messageId })
    }
  }
  return { request: sending.uniqueRequestId ?? first, deliveries }
}

async function sendCopies(
  cloud: LocalCloud,
  { to, payload, uniqueRequestId, group }: Sending,
  copies: number,
): Promise<SentDelivery> {
  const body = bodyText(payload)
  const first = await send(cloud, to, body, stamp(uniqueRequestId), group)
  const deliveries = [{ queue: to, messageId: first }]
  for (let copy = 2; copy <= copies; copy++) {
    const messageId = await send(cloud, to, body, ofCopy(uniqueRequestId, first), group)
    deliveries.push({ queue: to, messageId })
  }
  return { request: uniqueRequestId ?? first, deliveries }
}

/** SNS delivers a copy with the message id of the first. */
async function deliverAgain(
  cloud: LocalCloud,
  queue: string,
  topic: string,
  raw: boolean,
  { payload, uniqueRequestId, group }: Sending,
  first: string,
): Promise<string> {
  if (raw) return send(cloud, queue, bodyText(payload), ofCopy(uniqueRequestId, first), group)
  const { body } = snsWrapped(payload, {
    topicArn: cloud.topicArn(topic),
    messageId: first,
    timestamp: systemClock.now(),
    ...(uniqueRequestId !== undefined && { attributes: { [ID_ATTRIBUTE]: uniqueRequestId } }),
  })
  return send(cloud, queue, body, {}, group)
}

async function send(
  cloud: LocalCloud,
  queue: string,
  MessageBody: string,
  MessageAttributes: Attributes,
  group: string | undefined,
): Promise<string> {
  const { SendMessageCommand } = await import('@aws-sdk/client-sqs')
  const { MessageId = '' } = await cloud.sqs.send(
    new SendMessageCommand({
      QueueUrl: cloud.queueUrl(queue),
      MessageBody,
      MessageAttributes,
      ...fifoFields(queue, group),
    }),
  )
  return MessageId
}

async function publish(
  cloud: LocalCloud,
  topic: string,
  { payload, uniqueRequestId, group }: Sending,
): Promise<string> {
  const { PublishCommand } = await import('@aws-sdk/client-sns').catch(missing('client-sns'))
  const { MessageId = '' } = await cloud.sns.send(
    new PublishCommand({
      TopicArn: cloud.topicArn(topic),
      Message: bodyText(payload),
      MessageAttributes: stamp(uniqueRequestId),
      ...fifoFields(topic, group),
    }),
  )
  return MessageId
}

/** Each copy has a deduplication id of its own, else the queue would drop it. */
function fifoFields(name: string, group = 'dev'): object {
  if (!isFifoName(name)) return {}
  return { MessageGroupId: group, MessageDeduplicationId: `dev-${randomUUID()}` }
}

function stamp(uniqueRequestId: string | undefined): Attributes {
  if (uniqueRequestId === undefined) return {}
  return { [ID_ATTRIBUTE]: { DataType: 'String', StringValue: uniqueRequestId } }
}

/** As a redrive keeps the identity of a message: SQS itself would deliver it again with its message id. */
function ofCopy(uniqueRequestId: string | undefined, first: string): Attributes {
  if (uniqueRequestId !== undefined) return stamp(uniqueRequestId)
  const StringValue = JSON.stringify({ format: FORMAT, messageId: first })
  return { [PACKED_ATTRIBUTE]: { DataType: 'String', StringValue } }
}

function idsIn(cloud: LocalCloud, queue: string): ReadonlySet<string> {
  return new Set(messagesIn(cloud.inspectQueue(queue)).map(({ messageId }) => messageId))
}
