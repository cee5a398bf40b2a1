import type { SQSRecord } from 'aws-lambda'
import { RejectedError } from '../../base/errors.ts'
import { mergeAttributes, readPublishedAttributes, readRecordAttributes } from './attributes.ts'
import {
  decodePacked,
  decodeId,
  type Ignore,
  isTraceparent,
  type PackedFields,
} from './lineclearAttributes.ts'
import type { LineclearAttributes, Envelope } from './envelope.ts'
import { type EventFormat, openEvent, type OpenedEvent } from './eventFormat.ts'
import { type Notification, openNotification, type Topics } from './notification.ts'
import { tenantOf } from './tenant.ts'
import { type UnwrappedMessage, unwrapResend } from './unwrapResend.ts'
import { latestKnownTime, readSentTimestamp, readTimestamp } from './times.ts'

interface ReadOptions {
  /** ARNs of the topics whose notifications are unwrapped. `'any'`: all topics; undefined: none. */
  readonly topics: Topics
  /** Events of AWS services that are opened. */
  readonly envelopes?: readonly EventFormat[] | undefined
  /** Epoch milliseconds. */
  readonly now: number
}

/** The message on the queue. A notification in it supplies only what is missing here. */
interface QueueMessage extends UnwrappedMessage {
  readonly id: string | undefined
  readonly packed: PackedFields | undefined
  readonly sentTimestamp: unknown
}

const MAX_IGNORED = 20
const MAX_NAME_LENGTH = 256
const FIRST_DELIVERY: LineclearAttributes = Object.freeze({ retry: 0, hops: 0 })

/**
 * Reads a message, however it reached the queue: sent, published through SNS (raw or not), or resent.
 * Malformed attributes are left out and named in `ignored`.
 * @throws RejectedError when the body is not a text; nothing else is thrown
 */
export function readEnvelope(record: SQSRecord, { topics, envelopes, now }: ReadOptions): Envelope {
  const ignored: string[] = []
  const ignore: Ignore = (name) => {
    if (ignored.length < MAX_IGNORED) ignored.push(name.slice(0, MAX_NAME_LENGTH))
  }
  const stamped = readSentTimestamp(record?.attributes?.SentTimestamp)
  const latestNow = latestKnownTime(now, stamped)
  const message = readQueueMessage(record, latestNow, ignore)
  const opened = openNotification(message.body, topics)
  const content =
    opened.kind === 'notification'
      ? fromTopic(message, opened.notification, latestNow, ignore)
      : fromQueue(message)
  const tenant = tenantOf(record)
  return Object.freeze({
    ...content,
    ...(tenant !== undefined && { tenant }),
    // Of a payload that is kept elsewhere the body is only a note: an event in it would lend another payload its identity.
    ...(!content.carried.payload && openEvent(content.body, envelopes, record.eventSourceARN)),
    carried: sentNoLaterThan(content.enqueuedAt, withTraceparent(content)),
    ...(opened.kind === 'unnamed' && { unnamedTopic: opened.topicArn }),
    ignored: Object.freeze(ignored),
  })
}

function readQueueMessage(record: SQSRecord, now: number, ignore: Ignore): QueueMessage {
  const body = bodyOf(record)
  const queue = readRecordAttributes(record.messageAttributes, ignore)
  const packed = queue.packed && decodePacked(queue.packed, now, ignore)
  return {
    ...unwrapResend(body, queue, packed?.wrapped === true, ignore),
    id: queue.id && decodeId(queue.id, ignore),
    packed,
    sentTimestamp: record.attributes?.SentTimestamp,
  }
}

/** A sender without Lineclear puts its trace context into the attribute `traceparent`. */
function withTraceparent({ carried, attributes }: Content): LineclearAttributes {
  const traceparent = attributes['traceparent']?.value
  if (carried.traceparent !== undefined || !isTraceparent(traceparent)) return carried
  return Object.freeze({ ...carried, traceparent })
}

/** A message was sent before it was on the queue. With a later time, newer requests would look older and be refused. */
function sentNoLaterThan(
  enqueuedAt: number | undefined,
  carried: LineclearAttributes,
): LineclearAttributes {
  const { sentAt } = carried
  if (sentAt === undefined || enqueuedAt === undefined || sentAt <= enqueuedAt) return carried
  return Object.freeze({ ...carried, sentAt: enqueuedAt })
}

type Content = Omit<Envelope, 'ignored' | 'unnamedTopic' | keyof OpenedEvent> &
  Pick<Envelope, 'body'>

function fromQueue({
  body,
  attributes,
  id,
  packed,
  wrapped,
  sentTimestamp,
}: QueueMessage): Content {
  const carried = toAttributes(id, packed, wrapped)
  return { source: 'sqs', body, attributes, carried, enqueuedAt: readSentTimestamp(sentTimestamp) }
}

function fromTopic(message: QueueMessage, sns: Notification, now: number, ignore: Ignore): Content {
  const level = readPublishedAttributes(sns.attributes, ignore)
  const id = message.id ?? (level.id && decodeId(level.id, ignore))
  const packed = message.packed ?? (level.packed && decodePacked(level.packed, now, ignore))
  return {
    source: 'sns',
    body: sns.message,
    attributes: mergeAttributes(message.attributes, level.user),
    carried: toAttributes(id, packed, message.wrapped),
    enqueuedAt: earlier(publishedAt(sns, now, ignore), readSentTimestamp(message.sentTimestamp)),
    snsMessageId: sns.messageId,
    topicArn: sns.topicArn,
    ...(typeof sns.subject === 'string' && { subject: sns.subject }),
  }
}

function toAttributes(
  id: string | undefined,
  packed: PackedFields | undefined,
  wrapped: boolean,
): LineclearAttributes {
  if (id === undefined && packed === undefined) return FIRST_DELIVERY
  const { wrapped: _marker, ...fields } = packed ?? FIRST_DELIVERY
  return Object.freeze({
    ...fields,
    ...(id !== undefined && { uniqueRequestId: id }),
    ...(wrapped && { wrapped }),
  })
}

function earlier(one: number | undefined, other: number | undefined): number | undefined {
  return one === undefined || other === undefined ? (one ?? other) : Math.min(one, other)
}

function publishedAt({ timestamp }: Notification, now: number, ignore: Ignore): number | undefined {
  const time = readTimestamp(timestamp, now)
  if (time === undefined && timestamp !== undefined) ignore('Timestamp')
  return time
}

function bodyOf(record: SQSRecord | null | undefined): string {
  const body: unknown = record?.body
  if (typeof body === 'string') return body
  throw new RejectedError(
    `The record's body is ${body === null ? 'null' : typeof body}, not a text, so there is nothing to hand to a handler. ` +
      'The record stays on its queue, and the rest of the batch runs. Check what builds the event: SQS always gives a text.',
  )
}
