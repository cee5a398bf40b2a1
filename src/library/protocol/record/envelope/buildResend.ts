import type { SQSRecord, SQSMessageAttribute } from 'aws-lambda'
import { readRecordAttributes } from './attributes.ts'
import {
  checkAttributes,
  isSendable,
  type PartialStamp,
  MAX_MESSAGE_BYTES,
  MAX_USER_ATTRIBUTES,
  sizeOf,
  type OutgoingMessage,
  stampMessage,
  type OutgoingAttribute,
} from './buildMessage.ts'
import type { LineclearAttributes, Envelope, MovedPayload } from './envelope.ts'
import { type UnwrappedMessage, unwrapResend, wrap, wrapCompressed } from './wrapper.ts'

/** `transparent` leaves the body as it is; `wrapped` puts body and attributes into a body of Lineclear. */
export type ResendForm = 'transparent' | 'wrapped'

/** `compressed`: as `wrapped`, for a message that fits in neither of the others. */
type CopyForm = ResendForm | 'compressed'

interface ResendOptions {
  /**
   * The preferred form, by default `transparent`. When only the other one of `transparent` and `wrapped` fits the queue's limits,
   * as with more than eight attributes, that one is used.
   */
  readonly form?: CopyForm
  /** The queue's `MaximumMessageSize`, by default 1 MiB. */
  readonly maxBytes?: number | undefined
  /**
   * The copy goes to the queue that the message came from, whose mapping may have a filter on bodies or attributes: it is never
   * wrapped there unless the message was, because Lambda deletes what a filter does not let through.
   */
  readonly toSource?: boolean
  /** The payload leaves the message. */
  readonly moved?: MovedPayload
}

/**
 * A copy of the message of `record` with a new stamp, for a retry, a dead-letter queue or a redrive. A copy of a copy is wrapped only
 * once. Undefined: the message fits in neither form and has to stay hidden on its queue instead.
 * @param carried without an identity in a redrive of a message that had none: a stamp would take precedence over the id of its payload
 * @throws ConfigError when the receiver would not recognise the id in `carried`
 */
export function buildResend(
  record: SQSRecord,
  envelope: Envelope,
  carried: LineclearAttributes,
  {
    form = 'transparent',
    maxBytes = MAX_MESSAGE_BYTES,
    moved,
    toSource = false,
  }: ResendOptions = {},
): OutgoingMessage | undefined {
  const queue = readRecordAttributes(record.messageAttributes, ignoreSilently)
  const received = unwrapResend(
    record.body,
    queue,
    envelope.carried.wrapped === true,
    ignoreSilently,
  )
  const original = moved ? { ...received, body: moved.replaceIn(received.body) } : received
  const isOnly =
    form === 'compressed' ||
    // @protects a filter of the mapping does not delete a copy
    // @without false @tests test/deliver
    (toSource && !received.wrapped)
  const forms: readonly CopyForm[] = isOnly ? [form] : [form, OTHER[form]]
  const stamp = moved ? { ...carried, payload: moved.carried } : carried
  for (const load of [stamp, withoutDetails(stamp)]) {
    for (const candidate of forms) {
      const outgoing = inForm(candidate, original, load, maxBytes)
      if (outgoing !== undefined && sizeOf(outgoing) <= maxBytes)
        return { ...withTraceHeader(outgoing, record), ...(moved && { moved }) }
    }
  }
  return undefined
}

const OTHER = { transparent: 'wrapped', wrapped: 'transparent' } as const

/** Characters: enough for every reason of Lineclear. */
const SHORT_REASON = 16

/** Keeps only the fields that the receiver needs, for a message that is nearly as large as its queue accepts. */
function withoutDetails(load: PartialStamp): PartialStamp {
  const {
    error: _error,
    stack: _stack,
    traceparent: _trace,
    source: _source,
    consumer: _by,
    ...needed
  } = load
  const { attempts: _attempts, reason, ...rest } = needed
  return { ...rest, ...(reason !== undefined && { reason: reason.slice(0, SHORT_REASON) }) }
}

/** Adds the X-Ray trace. It is a system attribute, which SQS does not copy and which does not count for the size. */
function withTraceHeader(outgoing: OutgoingMessage, { attributes }: SQSRecord): OutgoingMessage {
  const traceHeader = attributes?.AWSTraceHeader
  return traceHeader ? { ...outgoing, traceHeader } : outgoing
}

function inForm(
  form: CopyForm,
  original: UnwrappedMessage,
  carried: PartialStamp,
  maxBytes: number,
): OutgoingMessage | undefined {
  if (form === 'transparent') return transparent(original, carried, maxBytes)
  const wrapIn = form === 'wrapped' ? wrap : wrapCompressed
  const body = wrapIn(original.body, original.attributes)
  return stampMessage(body, {}, { ...carried, wrapped: true }, maxBytes)
}

function transparent(
  original: UnwrappedMessage,
  { wrapped: _marker, ...stamp }: PartialStamp,
  maxBytes: number,
): OutgoingMessage | undefined {
  const { body, attributes } = original
  if (Object.keys(attributes).length > MAX_USER_ATTRIBUTES) return undefined
  if (original.wrapped && !canStandAlone(original)) return undefined
  return stampMessage(body, attributes, stamp, maxBytes)
}

/** A forged wrapper may hold what no queue takes outside of JSON: its dead letter would be refused again and again. */
function canStandAlone({ body, attributes }: UnwrappedMessage): boolean {
  try {
    checkAttributes(attributes)
    return body !== '' && isSendable(body)
  } catch {
    return false
  }
}

/** Attributes that do not parse were reported when the record was read. */
function ignoreSilently(): void {}

/** Copies the message byte for byte, including attributes that a newer version has written. */
export function unchangedCopy({ body, messageAttributes }: SQSRecord): OutgoingMessage {
  const entries = Object.entries(messageAttributes).map(([name, attribute]) => [
    name,
    copiedAttribute(attribute),
  ])
  return { body, attributes: Object.fromEntries(entries) as OutgoingMessage['attributes'] }
}

function copiedAttribute({
  dataType,
  stringValue,
  binaryValue,
}: SQSMessageAttribute): OutgoingAttribute {
  return binaryValue === undefined
    ? { DataType: dataType, StringValue: stringValue ?? '' }
    : { DataType: dataType, BinaryValue: Buffer.from(binaryValue, 'base64') }
}
