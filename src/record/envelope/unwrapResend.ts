import { type AttributeLevel, mergeAttributes, readPublishedAttributes } from './attributes.ts'
import { type Ignore, PACKED_ATTRIBUTE } from './lineclearAttributes.ts'
import type { Attributes } from './envelope.ts'
import { unwrap } from './wrapper.ts'

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
