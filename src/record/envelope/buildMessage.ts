import type { SQSRecord } from 'aws-lambda'
import { TerminalError } from '../../errors.ts'
import { readRecordAttributes } from './attributes.ts'
import { type AttributeInput, checkAttributes, isSendable } from './checkAttributes.ts'
import type { LineclearAttributes, Envelope } from './envelope.ts'
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
import { wrap } from './wrapper.ts'

export {
  MAX_MESSAGE_BYTES,
  type OutgoingMessage,
  sizeOf,
  type Stamp,
  type OutgoingAttribute,
} from './outgoingMessage.ts'
export type { AttributeInput } from './checkAttributes.ts'

/** `transparent` leaves the body as it is; `wrapped` lays body and attributes into a body of ours. */
export type ResendForm = 'transparent' | 'wrapped'

interface ResendOptions {
  /** The form to prefer: the other one is taken when only that fits the queue's limits. */
  readonly form: ResendForm
  /** The queue's `MaximumMessageSize`, by default 1 MiB. */
  readonly maxBytes?: number
}

/**
 * The message of `record` once more, with a new stamp: for a retry, or for a dead-letter queue. However often it is
 * sent, it is wrapped at most once. Undefined when it fits in neither form: it has to wait on its queue by visibility.
 * @throws ConfigError when the id in `carried` would not be recognised by the receiver.
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
 * A message that carries no identity, as it comes back from a dead-letter queue: with the id that SQS gave it at first, and
 * without a stamp, which would come before the id of its payload. Undefined when it does not fit.
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
  { form, maxBytes = MAX_MESSAGE_BYTES }: ResendOptions,
): OutgoingMessage | undefined {
  const queue = readRecordAttributes(record.messageAttributes, ignoreSilently)
  const original = unwrapResend(
    record.body,
    queue,
    envelope.carried.wrapped === true,
    ignoreSilently,
  )
  const forms: readonly ResendForm[] = [form, form === 'wrapped' ? 'transparent' : 'wrapped']
  for (const load of [carried, withoutDetails(carried)]) {
    for (const candidate of forms) {
      const outgoing = BUILDERS[candidate](original, load, maxBytes)
      if (outgoing !== undefined && sizeOf(outgoing) <= maxBytes)
        return withTraceHeader(outgoing, record)
    }
  }
  return undefined
}

/** Characters: enough for each reason that we give. */
const SHORT_REASON = 16

/** Only what its receiver needs: for a message that is nearly as large as the queue takes. */
function withoutDetails(load: PartialStamp): PartialStamp {
  const { error: _error, traceparent: _trace, source: _source, consumer: _by, ...needed } = load
  const { attempts: _attempts, reason, ...rest } = needed
  return { ...rest, ...(reason !== undefined && { reason: reason.slice(0, SHORT_REASON) }) }
}

/** The trace of X-Ray is no attribute of the message, and SQS gives a copy none. It does not count for its size. */
function withTraceHeader(outgoing: OutgoingMessage, { attributes }: SQSRecord): OutgoingMessage {
  const traceHeader = attributes?.AWSTraceHeader
  return traceHeader ? { ...outgoing, traceHeader } : outgoing
}

/**
 * A new message, for SendMessage or Publish.
 * @throws ConfigError when an attribute or the id cannot be sent as it is
 * @throws TerminalError when the body cannot be: empty, too large, or with characters that SQS refuses
 */
export function buildMessage(
  body: string,
  attributes: Readonly<Record<string, AttributeInput>>,
  carried: Stamp,
  maxBytes: number = MAX_MESSAGE_BYTES,
): OutgoingMessage {
  const { wrapped: _marker, ...stamp } = carried
  const outgoing = stampMessage(body, checkAttributes(attributes), stamp, maxBytes)
  if (body === '') throw refusedMessage('its body is empty')
  if (!isSendable(body))
    throw refusedMessage('its body has characters that SQS and SNS do not take')
  const bytes = sizeOf(outgoing)
  if (bytes > maxBytes) throw refusedMessage(`it has ${bytes} bytes of at most ${maxBytes}`)
  return outgoing
}

type Build = (
  original: UnwrappedMessage,
  carried: PartialStamp,
  maxBytes: number,
) => OutgoingMessage | undefined
const BUILDERS: Readonly<Record<ResendForm, Build>> = { transparent, wrapped }

function transparent(
  { body, attributes }: UnwrappedMessage,
  { wrapped: _marker, ...stamp }: PartialStamp,
  maxBytes: number,
): OutgoingMessage | undefined {
  if (Object.keys(attributes).length > MAX_USER_ATTRIBUTES) return undefined
  return stampMessage(body, attributes, stamp, maxBytes)
}

function wrapped(
  { body, attributes }: UnwrappedMessage,
  carried: PartialStamp,
  maxBytes: number,
): OutgoingMessage {
  return stampMessage(wrap(body, attributes), {}, { ...carried, wrapped: true }, maxBytes)
}

/** What does not parse was reported when the record was read. */
function ignoreSilently(): void {}

function refusedMessage(why: string): TerminalError {
  return new TerminalError(
    `The message was not sent: ${why}, and trying again cannot help. Send a reference to the data in its place.`,
  )
}
