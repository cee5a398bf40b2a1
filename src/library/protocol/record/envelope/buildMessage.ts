import { TerminalError, ConfigError } from '../../../base/errors.ts'
import type {
  LargePayloads,
  MovedPayload,
  Attribute,
  Attributes,
  LineclearAttributes,
} from './envelope.ts'
import { Buffer } from 'node:buffer'
import { emptyAttributes, isAttributeType, isBinary } from './attributes.ts'
import {
  assertSendable,
  encodePacked,
  ID_ATTRIBUTE,
  PACKED_ATTRIBUTE,
  type PackedFields,
} from './lineclearAttributes.ts'
import * as SQS from '../../../base/limits/sqs.ts'
import { kindOf } from '../../../base/kindOf.ts'
import { shorten, toMessageJson } from './json.ts'

/** A value of SendMessage's and Publish's `MessageAttributes`. */
export type OutgoingAttribute =
  | { readonly DataType: string; readonly StringValue: string }
  | { readonly DataType: string; readonly BinaryValue: Uint8Array }

/** A message ready for SendMessage or Publish. */
export interface OutgoingMessage {
  readonly body: string
  readonly attributes: Readonly<Record<string, OutgoingAttribute>>
  /** SQS only: the system attribute `AWSTraceHeader`. */
  readonly traceHeader?: string
  /** Its payload, which has to be stored before the message is sent. */
  readonly moved?: MovedPayload
}

/** The attributes by which its receiver recognises a message. */
export type Stamp = LineclearAttributes & { readonly uniqueRequestId: string }

/** The limit of SQS for body and attributes together, in bytes. A queue or topic may have a lower limit. */
export const MAX_MESSAGE_BYTES: number = SQS.messageBytes
const RESERVED: readonly string[] = [ID_ATTRIBUTE, PACKED_ATTRIBUTE]
export const MAX_USER_ATTRIBUTES: number = SQS.attributes - RESERVED.length

/** A stamp, with or without an identity. */
export type PartialStamp = PackedFields & { readonly uniqueRequestId?: string | undefined }

/** An attribute as options accept it: a text, a number or bytes; or with its type, as in `envelope.attributes`. */
export type AttributeInput = string | number | Uint8Array | Attribute

/**
 * A new message, for SendMessage or Publish. A trace context for which there is no room is left out,
 * and a payload for which there is none is moved there.
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
  if (!payloads) {
    const cure = payloads === false ? '' : OR_PAYLOADS
    throw refusedMessage(`it has ${bytes} bytes of at most ${maxBytes}`, cure)
  }
  const moved = payloads.move(body)
  const all = { ...carried, payload: moved.carried }
  return { ...buildMessage(moved.replaceIn(body), attributes, all, { maxBytes }), moved }
}

interface SendLimits {
  /** The target's `MaximumMessageSize`, by default 1 MiB. */
  readonly maxBytes?: number
  /** Where a payload goes that does not fit. undefined: the message is refused; false: so it is whatever the options say. */
  readonly payloads?: LargePayloads | false | undefined
}

function refusedMessage(why: string, cure = ''): TerminalError {
  return new TerminalError(
    `The message was not sent: ${why}, and trying again cannot help. Send a reference to the data in its place${cure}.`,
  )
}

const OR_PAYLOADS = ', or give the option offload, such as s3Objects({ bucket })'

/** The message with its stamp. The error in the stamp is shortened, as far as possible, so that the message fits into `maxBytes`. */
export function stampMessage(
  body: string,
  user: Attributes,
  { uniqueRequestId, ...packed }: PartialStamp,
  maxBytes: number,
): OutgoingMessage {
  const attributes = emptyAttributes<OutgoingAttribute>()
  for (const [name, attribute] of Object.entries(user)) attributes[name] = toOutgoing(attribute)
  if (uniqueRequestId !== undefined) {
    assertSendable(uniqueRequestId)
    attributes[ID_ATTRIBUTE] = { DataType: 'String', StringValue: uniqueRequestId }
  }
  attributes[PACKED_ATTRIBUTE] = { DataType: 'String', StringValue: '' }
  const room = maxBytes - sizeOf({ body, attributes })
  attributes[PACKED_ATTRIBUTE] = { DataType: 'String', StringValue: encodePacked(packed, room) }
  return { body, attributes }
}

/** The size as SQS counts it: the UTF-8 bytes of the body and of the names, types and values of all attributes. */
export function sizeOf({ body, attributes }: OutgoingMessage): number {
  let bytes = Buffer.byteLength(body)
  for (const [name, attribute] of Object.entries(attributes)) {
    const value = 'StringValue' in attribute ? attribute.StringValue : attribute.BinaryValue
    bytes += Buffer.byteLength(name) + Buffer.byteLength(attribute.DataType)
    bytes += Buffer.byteLength(value)
  }
  return bytes
}

export function toOutgoing({ type, value }: Attribute): OutgoingAttribute {
  return typeof value === 'string'
    ? { DataType: type, StringValue: value }
    : { DataType: type, BinaryValue: value }
}

// docs.aws.amazon.com/AWSSimpleQueueService/latest/APIReference/API_MessageAttributeValue.html and API_SendMessage.html
const NAME = /^(?!aws\.|amazon\.|\.)(?!.*\.\.)[\w.-]{1,256}(?<!\.)$/i
const UNSENDABLE = /[^\t\n\r\u{20}-\u{d7ff}\u{e000}-\u{fffd}\u{10000}-\u{10ffff}]/u

/** @throws ConfigError when AWS would refuse an attribute, or when its name is reserved for Lineclear */
export function checkAttributes(input: Readonly<Record<string, AttributeInput>>): Attributes {
  const { length } = Object.values(input).filter((value) => value !== undefined)
  if (length > MAX_USER_ATTRIBUTES) {
    throw new ConfigError(
      `attributes: a message takes 10, of which Lineclear uses ${RESERVED.length}, so at most ${MAX_USER_ATTRIBUTES} are yours, got ${length}. ` +
        'Nothing was sent. Put the rest into the payload.',
    )
  }
  const attributes = toAttributes(input)
  for (const [name, attribute] of Object.entries(attributes)) checkAttribute(name, attribute)
  return attributes
}

export function toAttributes(input: Readonly<Record<string, AttributeInput>>): Attributes {
  const attributes = emptyAttributes<Attribute>()
  for (const [name, value] of Object.entries(input)) {
    if (value !== undefined) attributes[name] = toAttribute(value)
  }
  return attributes
}

function toAttribute(input: AttributeInput): Attribute {
  if (typeof input === 'string') return { type: 'String', value: input }
  if (typeof input === 'number') return { type: 'Number', value: String(input) }
  return input instanceof Uint8Array ? { type: 'Binary', value: input } : input
}

/** Whether SQS and SNS accept the text: they refuse control characters, lone surrogates, U+FFFE and U+FFFF. */
export function isSendable(text: string): boolean {
  return !UNSENDABLE.test(text)
}

function checkAttribute(name: string, attribute: Attribute): void {
  const wrong = RESERVED.includes(name)
    ? 'this name is reserved for Lineclear'
    : (nameProblem(name) ??
      formProblem(attribute) ??
      typeProblem(attribute) ??
      valueProblem(attribute))
  if (wrong === undefined) return
  throw new ConfigError(
    `attributes: ${toMessageJson(shorten(name, 80))} cannot be sent: ${wrong}. Nothing was sent.`,
  )
}

function nameProblem(name: string): string | undefined {
  if (NAME.test(name)) return undefined
  return "a name has 1 to 256 of A-Z a-z 0-9 _ - . and does not begin with 'AWS.' or 'Amazon.', nor begin or end with a period, nor hold two in a row"
}

/** Finds what is wrong with an attribute from JavaScript, which has no types. */
function formProblem(attribute: unknown): string | undefined {
  if (typeof attribute === 'object' && attribute !== null) return undefined
  return `expected a text, a number, bytes or { type, value }, got ${kindOf(attribute)}`
}

function typeProblem({ type, value }: Attribute): string | undefined {
  if (typeof type !== 'string' || !isAttributeType(type) || !isSendable(type)) {
    return 'a type is String, Number or Binary, with a label if you like (Number.float), of at most 256 characters'
  }
  const fits = isBinary(type) ? value instanceof Uint8Array : typeof value === 'string'
  return fits ? undefined : `its value does not fit its type ${type}`
}

function valueProblem({ type, value }: Attribute): string | undefined {
  if (value.length === 0) return 'its value is empty'
  // @survives ConditionalExpression: only bytes come here that are no text. Written out they are numbers and commas, which can be
  // sent, and their type is none of a number; the check is for the types.
  if (typeof value !== 'string') return undefined
  if (!isSendable(value)) return 'its value has characters that SQS and SNS do not take'
  const number = type === 'Number' || type.startsWith('Number.')
  const finite = value.trim() === value && Number.isFinite(Number(value))
  return number && !finite ? 'its value is not a number' : undefined
}
