import type { SQSRecord } from 'aws-lambda'
import { RejectedError, UnknownFormatError } from '../../../base/errors.ts'
import { toTime, MAX_CLOCK_SKEW_MS, latestKnownTime } from '../../../base/time.ts'
import { mergeAttributes, readPublishedAttributes, readRecordAttributes } from './attributes.ts'
import {
  decodePacked,
  decodeId,
  type Ignore,
  isTraceparent,
  PACKED_ATTRIBUTE,
  type PackedFields,
  isUniqueRequestId,
} from './lineclearAttributes.ts'
import type { LineclearAttributes, Envelope, EventFormat, OpenedEvent } from './envelope.ts'
import { type UnwrappedMessage, unwrapResend } from './wrapper.ts'
import { parseObject } from './json.ts'

/** ARNs of the topics whose notifications are unwrapped. `'any'` trusts every sender to the queue. */
export type Topics = readonly string[] | 'any' | undefined

interface ReadOptions {
  readonly topics: Topics
  /** Events of AWS services that are opened. */
  readonly envelopes?: readonly EventFormat[] | undefined
  /** Epoch milliseconds. */
  readonly now: number
}

/** What was read of a message. A notification in it supplies only what is missing on the queue. */
type Read = UnwrappedMessage &
  Omit<
    Envelope,
    'carried' | 'ignored' | 'tenant' | 'unnamedTopic' | Exclude<keyof OpenedEvent, 'body'>
  > & {
    readonly id: string | undefined
    readonly packed: PackedFields | undefined
  }

const MAX_IGNORED = 20
const MAX_NAME_LENGTH = 256
const NO_EVENT: OpenedEvent = {}
const FIRST_DELIVERY: PackedFields = { resendNumber: 0, hops: 0 }

/**
 * Reads a message, however it reached the queue: sent, published through SNS (raw or not), or resent.
 * Malformed attributes are left out and named in `ignored`.
 * @throws RejectedError when the body is not a text; UnknownFormatError when a newer version has written the message
 */
export function readEnvelope(record: SQSRecord, { topics, envelopes, now }: ReadOptions): Envelope {
  const ignored: string[] = []
  const ignore: Ignore = (name) => {
    if (ignored.length < MAX_IGNORED) ignored.push(name.slice(0, MAX_NAME_LENGTH))
  }
  const body = bodyOf(record)
  const enqueuedAt = readSentTimestamp(record.attributes?.SentTimestamp)
  const latestNow = latestKnownTime(now, enqueuedAt)
  const queued = fromQueue(record, body, latestNow, ignore)
  const opened = openNotification(queued.body, topics)
  const { id, packed, wrapped, ...message } =
    opened.kind === 'notification'
      ? fromTopic({ ...queued, enqueuedAt }, opened.notification, latestNow, ignore)
      : { ...queued, enqueuedAt }
  // Ignores events in a body whose payload is kept elsewhere: they would give that payload the identity of another one.
  const { stamp, ...event } =
    (envelopes && !packed?.payload
      ? openEvent(message.body, envelopes, record.eventSourceARN, latestNow)
      : undefined) ?? NO_EVENT
  const carried = carriedOf(message, wrapped, id ?? stamp?.id, packed ?? ofOurFormat(stamp?.packed))
  const tenant = tenantOf(record)
  return Object.freeze({
    ...message,
    ...(tenant !== undefined && { tenant }),
    ...event,
    carried,
    ...(opened.kind === 'confirmation' && { refusal: opened.text }),
    ...(opened.kind === 'unnamed' && { unnamedTopic: opened.topicArn }),
    ignored: Object.freeze(ignored),
  })
}

/**
 * For those who only show messages: of one that a newer version has written, this is what every sender writes, its body and the
 * attributes of users. `unknown`: why nothing may be decided on it.
 */
export function lookAtEnvelope(
  record: SQSRecord,
  options: ReadOptions,
): { readonly envelope: Envelope; readonly unknown?: UnknownFormatError } {
  try {
    return { envelope: readEnvelope(record, options) }
  } catch (error) {
    if (!(error instanceof UnknownFormatError)) throw error
    const { [PACKED_ATTRIBUTE]: _newer, ...messageAttributes } = record.messageAttributes
    const plain = { topics: undefined, now: options.now }
    return { envelope: readEnvelope({ ...record, messageAttributes }, plain), unknown: error }
  }
}

function fromQueue(
  { messageAttributes }: SQSRecord,
  body: string,
  now: number,
  ignore: Ignore,
): Omit<Read, 'enqueuedAt'> {
  const queue = readRecordAttributes(messageAttributes, ignore)
  const packed = ofOurFormat(queue.packed && decodePacked(queue.packed, now, ignore))
  return {
    source: 'sqs',
    ...unwrapResend(
      body,
      queue,
      // @protects only a marked message is unwrapped
      // @without true
      packed?.wrapped === true,
      ignore,
    ),
    id: queue.id && decodeId(queue.id, ignore),
    packed,
  }
}

function fromTopic(queued: Read, sns: Notification, now: number, ignore: Ignore): Read {
  const level = readPublishedAttributes(sns.attributes, ignore)
  return {
    source: 'sns',
    body: sns.message,
    attributes: mergeAttributes(queued.attributes, level.user),
    wrapped: queued.wrapped,
    id: queued.id ?? (level.id && decodeId(level.id, ignore)),
    packed: queued.packed ?? ofOurFormat(level.packed && decodePacked(level.packed, now, ignore)),
    enqueuedAt: earlier(publishedAt(sns, now, ignore), queued.enqueuedAt),
    snsMessageId: sns.messageId,
    topicArn: sns.topicArn,
    ...(typeof sns.subject === 'string' && { subject: sns.subject }),
  }
}

/** @throws UnknownFormatError */
function ofOurFormat(
  packed: PackedFields | UnknownFormatError | undefined,
): PackedFields | undefined {
  if (packed instanceof UnknownFormatError) throw packed
  return packed
}

function carriedOf(
  { attributes, enqueuedAt }: Pick<Read, 'attributes' | 'enqueuedAt'>,
  wrapped: boolean,
  id: string | undefined,
  packed: PackedFields = FIRST_DELIVERY,
): LineclearAttributes {
  const { wrapped: _marker, ...fields } = packed
  // A sender without Lineclear puts its trace context into the attribute `traceparent`.
  const traceparent = fields.traceparent ?? attributes['traceparent']?.value
  const { sentAt = 0 } = fields
  return Object.freeze({
    ...fields,
    ...(id !== undefined && { uniqueRequestId: id }),
    ...(wrapped && { wrapped }),
    ...(isTraceparent(traceparent) && { traceparent }),
    // A message was sent before it was on the queue. With a later time, newer requests would look older and be refused.
    // @protects a sender cannot be younger than its message
    ...(enqueuedAt !== undefined && sentAt > enqueuedAt && { sentAt: enqueuedAt }),
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

/** An SNS notification: the JSON around a published message. */
interface Notification {
  readonly message: string
  readonly messageId: string
  readonly topicArn: string
  readonly attributes: unknown
  readonly subject: unknown
  readonly timestamp: unknown
}

type OpenedBody =
  | { readonly kind: 'payload' }
  | { readonly kind: 'unnamed'; readonly topicArn: string }
  | { readonly kind: 'notification'; readonly notification: Notification }
  | { readonly kind: 'confirmation'; readonly text: string }

const PAYLOAD: OpenedBody = { kind: 'payload' }
/** The log shows a text of an unknown sender only if it has this form. */
const LOGGED_ARN = /^arn:[\w:.-]{1,400}$/

/**
 * Unwraps an SNS notification of a listed topic. A notification of any other topic remains payload: a body that only looks like a
 * notification could choose its own `uniquerequestid` and suppress another request.
 */
export function openNotification(body: string, topics: Topics): OpenedBody {
  // Two searches take a tenth of the time of a parse, and they rule out nearly every body that was sent directly.
  // @survives ConditionalExpression, LogicalOperator, StringLiteral ×2: The two searches save the parse, and decide nothing: what
  // they let through is judged by what it holds. Only a body that spells these two words with escapes could tell, and SNS writes
  // none.
  if (!body.includes('TopicArn"') || !/(?:Notification|Confirmation)"/.test(body)) return PAYLOAD
  const sns = parseObject(body)
  if (typeof sns?.TopicArn !== 'string') return PAYLOAD
  const { TopicArn: topicArn } = sns
  const isConfirmation = /^(?:S|Uns)ubscri(?:ption|be)Confirmation$/.test(String(sns.Type))
  const notification = isConfirmation ? undefined : readNotification(sns, topicArn)
  if (!isConfirmation && notification === undefined) return PAYLOAD
  // @protects only notifications of named topics choose an identity
  // @without true
  if (topics === 'any' || topics?.includes(topicArn) === true) {
    return notification === undefined
      ? { kind: 'confirmation', text: `it is a ${String(sns.Type)} of ${topicArn}, ${CONFIRM}` }
      : { kind: 'notification', notification }
  }
  return LOGGED_ARN.test(topicArn) ? { kind: 'unnamed', topicArn } : PAYLOAD
}

const CONFIRM =
  'not a message: confirm the subscription with the SubscribeURL in its body, then delete it'

function readNotification(
  sns: NonNullable<ReturnType<typeof parseObject>>,
  topicArn: string,
): Notification | undefined {
  const { Message, MessageId } = sns
  if (sns.Type !== 'Notification' || typeof Message !== 'string') return undefined
  if (!isUniqueRequestId(MessageId)) return undefined
  return {
    message: Message,
    messageId: MessageId,
    topicArn,
    attributes: sns.MessageAttributes,
    subject: sns.Subject,
    timestamp: sns.Timestamp,
  }
}

/** What the first format that admits the body makes of it; else what the first says that only recognises it. */
export function openEvent(
  body: string,
  formats: readonly EventFormat[],
  queueArn: string,
  now: number,
): OpenedEvent | undefined {
  let unlisted: OpenedEvent | undefined
  for (const format of formats) {
    const opened = format.open(body, queueArn, now)
    if (opened !== undefined && opened.unlisted === undefined) return opened
    unlisted ??= opened
  }
  return unlisted
}

const SNS_TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d{1,9})?Z$/
const SQS_TIME = /^[1-9]\d{0,14}$/

/** SNS's `Timestamp` in epoch milliseconds. undefined: it is not an ISO time in UTC, or it is in the future. */
export function readTimestamp(text: unknown, now: number): number | undefined {
  const time = typeof text === 'string' && SNS_TIME.test(text) ? toTime(text) : undefined
  return time === undefined || time > now + MAX_CLOCK_SKEW_MS ? undefined : time
}

/** SQS's `SentTimestamp`: epoch milliseconds as a text. */
export function readSentTimestamp(text: unknown): number | undefined {
  return typeof text === 'string' && SQS_TIME.test(text) ? Number(text) : undefined
}

/** The tenant of a message on a fair queue: its group, on a standard queue. */
export function tenantOf({ attributes, eventSourceARN }: SQSRecord): string | undefined {
  const group: unknown = attributes?.MessageGroupId
  const source: unknown = eventSourceARN
  const isFifo = typeof source === 'string' && source.endsWith('.fifo')
  return typeof group === 'string' && group !== '' && !isFifo ? group : undefined
}
