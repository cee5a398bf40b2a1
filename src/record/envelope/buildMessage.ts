import type { SQSRecord } from 'aws-lambda'
import { TerminalError } from '../../base/errors.ts'
import { readRecordAttributes } from './attributes.ts'
import { type AttributeInput, checkAttributes, isSendable } from './checkAttributes.ts'
import type { LineclearAttributes, Envelope } from './envelope.ts'
import type { LargePayloads, MovedPayload } from './largePayloads.ts'
import { type UnwrappedMessage, unwrapResend } from './unwrapResend.ts'
import {
  type PartialStamp,
  MAX_MESSAGE_BYTES,
  MAX_USER_ATTRIBUTES,
  sizeOf,
  type OutgoingMessage,
  type Stamp,
  stampMessage,
} from './outgoingMessage.ts'
import { wrap, wrapCompressed } from './wrapper.ts'

export {
  MAX_MESSAGE_BYTES,
  type OutgoingMessage,
  sizeOf,
  type Stamp,
  type OutgoingAttribute,
} from './outgoingMessage.ts'
export type { AttributeInput } from './checkAttributes.ts'

/** `transparent` leaves the body as it is; `wrapped` puts body and attributes into a body of Lineclear. */
export type ResendForm = 'transparent' | 'wrapped'

/** `compressed`: as `wrapped`, for a message that fits in neither of the others. */
type CopyForm = ResendForm | 'compressed'

interface ResendOptions {
  /** The preferred form. Of `transparent` and `wrapped` the other is used when only that fits the queue's limits. */
  readonly form: CopyForm
  /** The queue's `MaximumMessageSize`, by default 1 MiB. */
  readonly maxBytes?: number
  /** The payload leaves the message. */
  readonly moved?: MovedPayload
}

interface SendLimits {
  /** The target's `MaximumMessageSize`, by default 1 MiB. */
  readonly maxBytes?: number
  /** Where a payload goes that does not fit. undefined: the message is refused. */
  readonly payloads?: LargePayloads | undefined
}

/**
 * A copy of the message of `record` with a new stamp, for a retry or for a dead-letter queue. A copy of a copy is wrapped only
 * once. Undefined: the message fits in neither form and has to stay hidden on its queue instead.
 * @throws ConfigError when the receiver would not recognise the id in `carried`
 */
export function buildResend(
  record: SQSRecord,
  envelope: Envelope,
  carried: LineclearAttributes,
  options: ResendOptions,
): OutgoingMessage | undefined {
  return buildCopy(record, envelope, carried, options)
}

/**
 * A copy without an identity of its own, for a redrive. It carries only its first SQS message id, because a stamp would take
 * precedence over the id of its payload. Undefined: it does not fit.
 */
export function buildReturn(
  record: SQSRecord,
  envelope: Envelope,
  carried: LineclearAttributes & { readonly messageId: string },
  options: ResendOptions,
): OutgoingMessage | undefined {
  return buildCopy(record, envelope, carried, options)
}

function buildCopy(
  record: SQSRecord,
  envelope: Envelope,
  carried: PartialStamp,
  { form, maxBytes = MAX_MESSAGE_BYTES, moved }: ResendOptions,
): OutgoingMessage | undefined {
  const queue = readRecordAttributes(record.messageAttributes, ignoreSilently)
  const received = unwrapResend(
    record.body,
    queue,
    envelope.carried.wrapped === true,
    ignoreSilently,
  )
  const original = moved ? { ...received, body: moved.replaceIn(received.body) } : received
  const forms: readonly CopyForm[] = form === 'compressed' ? [form] : [form, OTHER[form]]
  const stamp = moved ? { ...carried, payload: moved.carried } : carried
  for (const load of [stamp, withoutDetails(stamp)]) {
    for (const candidate of forms) {
      const outgoing = BUILDERS[candidate](original, load, maxBytes)
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

/**
 * A new message, for SendMessage or Publish. A trace context for which there is no room is left out,
 * and a payload for which there is none is moved to `payloads`.
 * @throws ConfigError when an attribute or the id cannot be sent as it is
 * @throws TerminalError when the body cannot be sent: empty, too large, or with characters that SQS refuses
 */
export function buildMessage(
  body: string,
  attributes: Readonly<Record<string, AttributeInput>>,
  carried: Stamp,
  { maxBytes = MAX_MESSAGE_BYTES, payloads }: SendLimits = {},
): OutgoingMessage {
  const { wrapped: _marker, ...stamp } = carried
  const user = checkAttributes(attributes)
  const outgoing = stampMessage(body, user, stamp, maxBytes)
  if (body === '') throw refusedMessage('its body is empty')
  if (!isSendable(body))
    throw refusedMessage('its body has characters that SQS and SNS do not take')
  if (sizeOf(outgoing) <= maxBytes) return outgoing
  const { traceparent: _trace, ...needed } = stamp
  const untraced = stampMessage(body, user, needed, maxBytes)
  const bytes = sizeOf(untraced)
  if (bytes <= maxBytes) return untraced
  if (payloads === undefined) {
    throw refusedMessage(`it has ${bytes} bytes of at most ${maxBytes}`, OR_PAYLOADS)
  }
  const moved = payloads.move(body)
  const all = { ...carried, payload: moved.carried }
  return { ...buildMessage(moved.replaceIn(body), attributes, all, { maxBytes }), moved }
}

const OR_PAYLOADS = ', or give the option payloads, such as s3Payloads({ bucket })'

type Build = (
  original: UnwrappedMessage,
  carried: PartialStamp,
  maxBytes: number,
) => OutgoingMessage | undefined
const BUILDERS: Readonly<Record<CopyForm, Build>> = { transparent, wrapped, compressed }

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

function wrapped(
  { body, attributes }: UnwrappedMessage,
  carried: PartialStamp,
  maxBytes: number,
): OutgoingMessage {
  return stampMessage(wrap(body, attributes), {}, { ...carried, wrapped: true }, maxBytes)
}

function compressed(
  { body, attributes }: UnwrappedMessage,
  carried: PartialStamp,
  maxBytes: number,
): OutgoingMessage {
  return stampMessage(wrapCompressed(body, attributes), {}, { ...carried, wrapped: true }, maxBytes)
}

/** Attributes that do not parse were reported when the record was read. */
function ignoreSilently(): void {}

function refusedMessage(why: string, cure = ''): TerminalError {
  return new TerminalError(
    `The message was not sent: ${why}, and trying again cannot help. Send a reference to the data in its place${cure}.`,
  )
}
