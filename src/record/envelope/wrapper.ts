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

/** Used only for a record whose packed attribute says that it is wrapped, because a body alone could be forged. */
export function unwrap(body: string): Wrapped | undefined {
  const { Type, Message, MessageAttributes } = parseObject(body) ?? {}
  if (Type !== TYPE || typeof Message !== 'string') return undefined
  return { body: Message, attributes: MessageAttributes }
}
