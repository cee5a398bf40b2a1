import type { Attributes } from './envelope.ts'
import { toPublished } from './attributes.ts'
import { parseObject, toMessageJson } from './json.ts'

const TYPE = 'lineclear'

/** A message as it was before we wrapped it. `attributes` is in SNS's notation, not yet read. */
interface Wrapped {
  readonly body: string
  readonly attributes: unknown
}

/** The wrapper of a re-send: body and attributes lie inside as SNS would lay them, which leaves all ten places but ours free. */
export function wrap(body: string, attributes: Attributes): string {
  return toMessageJson({ Type: TYPE, Message: body, MessageAttributes: toPublished(attributes) })
}

/** Only for a record whose packed attribute says that it is wrapped: a body alone proves nothing. */
export function unwrap(body: string): Wrapped | undefined {
  const { Type, Message, MessageAttributes } = parseObject(body) ?? {}
  if (Type !== TYPE || typeof Message !== 'string') return undefined
  return { body: Message, attributes: MessageAttributes }
}
