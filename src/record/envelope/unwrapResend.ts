import { type AttributeLevel, mergeAttributes, readPublishedAttributes } from './attributes.ts'
import { type Ignore, PACKED_ATTRIBUTE } from './lineclearAttributes.ts'
import type { Attributes } from './envelope.ts'
import { unwrap } from './wrapper.ts'

/** The message that first lay on the queue: our own wrapper, if there is one, is opened. */
export interface UnwrappedMessage {
  readonly body: string
  readonly attributes: Attributes
  readonly wrapped: boolean
}

/** `marked` is what the packed attribute says; a marked body that is no wrapper of ours is its own original. */
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
