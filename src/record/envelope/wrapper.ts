import { gunzipSync, gzipSync } from 'node:zlib'
import type { Attributes } from './envelope.ts'
import { toPublished } from './attributes.ts'
import { parseObject, toMessageJson } from './json.ts'

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
/** Bytes. The JSON of a body of 1 MiB may be several times as long, because quotes are escaped. */
const MAX_DECOMPRESSED = 8_388_608

/** The same in less room, for a message that has none left. It is no JSON, so that 0.1.0 refuses it. */
export function wrapCompressed(body: string, attributes: Attributes): string {
  return COMPRESSED + gzipSync(wrap(body, attributes)).toString('base64')
}

function decompressed(body: string): string {
  if (!body.startsWith(COMPRESSED)) return body
  const bytes = Buffer.from(body.slice(COMPRESSED.length), 'base64')
  try {
    return gunzipSync(bytes, { maxOutputLength: MAX_DECOMPRESSED }).toString()
  } catch {
    return body
  }
}

/** Used only for a record whose packed attribute says that it is wrapped, because a body alone could be forged. */
export function unwrap(body: string): Wrapped | undefined {
  const { Type, Message, MessageAttributes } = parseObject(decompressed(body)) ?? {}
  if (Type !== TYPE || typeof Message !== 'string') return undefined
  return { body: Message, attributes: MessageAttributes }
}
