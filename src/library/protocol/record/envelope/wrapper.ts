import * as SQS from '../../../base/limits/sqs.ts'
import { gunzipSync, gzipSync } from 'node:zlib'
import type { Attributes } from './envelope.ts'
import {
  toPublished,
  type AttributeLevel,
  mergeAttributes,
  readPublishedAttributes,
} from './attributes.ts'
import { parseObject, toMessageJson } from './json.ts'
import { type Ignore, PACKED_ATTRIBUTE } from './lineclearAttributes.ts'

const TYPE = 'lineclear'

/** A message as it was before it was wrapped. `attributes` are in the notation of SNS, and have not been read yet. */
interface Wrapped {
  readonly body: string
  readonly attributes: unknown
}

/**
 * Builds the body of a wrapped copy. Body and attributes are inside it, in the notation of SNS, so that a message may have ten
 * attributes of its own.
 */
export function wrap(body: string, attributes: Attributes): string {
  return toMessageJson({ Type: TYPE, Message: body, MessageAttributes: toPublished(attributes) })
}

const COMPRESSED = 'lineclear gzip '
/** Bytes. Nothing inside a wrapper was ever longer than a message on a queue. */
const MAX_INSIDE: number = SQS.messageBytes
/** The JSON of a body and its attributes is at most twice as long, because quotes and line ends are escaped. */
const MAX_DECOMPRESSED: number = 2 * MAX_INSIDE + 65_536

/** The same in less room, for a message that has none left. */
export function wrapCompressed(body: string, attributes: Attributes): string {
  return COMPRESSED + gzipSync(wrap(body, attributes)).toString('base64')
}

function decompressed(body: string): string {
  if (!isCompressed(body)) return body
  const bytes = Buffer.from(body.slice(COMPRESSED.length), 'base64')
  try {
    return gunzipSync(
      bytes,
      // @protects a compressed message is not opened beyond its limit
      // @tests test/deliver/memory
      { maxOutputLength: MAX_DECOMPRESSED },
    ).toString()
  } catch {
    return body
  }
}

/** Its content may be a hundred times as long as the body. */
export function isCompressed(body: unknown): boolean {
  return typeof body === 'string' && body.startsWith(COMPRESSED)
}

/** Used only for a record whose packed attribute says that it is wrapped, because a body alone could be forged. */
export function unwrap(body: string): Wrapped | undefined {
  const { Type, Message, MessageAttributes } = parseObject(decompressed(body)) ?? {}
  if (
    Type !== TYPE ||
    typeof Message !== 'string' ||
    // @protects what is inside a message is no longer than a message
    // @tests test/deliver/memory
    isTooLong(Message)
  )
    return undefined
  return { body: Message, attributes: MessageAttributes }
}

function isTooLong(text: string): boolean {
  return text.length > MAX_INSIDE || Buffer.byteLength(text) > MAX_INSIDE
}

/** The message as it was first sent, without a wrapper of Lineclear. */
export interface UnwrappedMessage {
  readonly body: string
  readonly attributes: Attributes
  readonly wrapped: boolean
}

/** @param marked whether the packed attribute says that the body is a wrapper. If the body is not one, it is the original itself. */
export function unwrapResend(
  body: string,
  queue: AttributeLevel,
  marked: boolean,
  ignore: Ignore,
): UnwrappedMessage {
  const inside = marked ? unwrap(body) : undefined
  if (inside === undefined) {
    if (marked) ignore(`${PACKED_ATTRIBUTE}.wrapped`)
    return { body, attributes: queue.user, wrapped: false }
  }
  const { user } = readPublishedAttributes(inside.attributes, ignore)
  return { body: inside.body, attributes: mergeAttributes(queue.user, user), wrapped: true }
}
