import { Buffer } from 'node:buffer'
import { emptyAttributes } from './attributes.ts'
import {
  assertUniqueRequestId,
  encodePacked,
  ID_ATTRIBUTE,
  PACKED_ATTRIBUTE,
  type PackedFields,
} from './lineclearAttributes.ts'
import type { Attribute, Attributes, LineclearAttributes } from './envelope.ts'
import type { MovedPayload } from './largePayloads.ts'

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
export const MAX_MESSAGE_BYTES = 1_048_576
export const MAX_ATTRIBUTES = 10
export const MAX_USER_ATTRIBUTES: number = MAX_ATTRIBUTES - [ID_ATTRIBUTE, PACKED_ATTRIBUTE].length

/** A stamp, with or without an identity. */
export type PartialStamp = PackedFields & { readonly uniqueRequestId?: string | undefined }

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
    assertUniqueRequestId(uniqueRequestId)
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

function toOutgoing({ type, value }: Attribute): OutgoingAttribute {
  return typeof value === 'string'
    ? { DataType: type, StringValue: value }
    : { DataType: type, BinaryValue: value }
}
