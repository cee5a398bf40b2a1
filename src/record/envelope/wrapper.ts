import type { Attributes } from './envelope.ts'
import { toPublished } from './attributes.ts'
import { parseObject, toMessageJson } from './json.ts'

const TYPE = 'lineclear'

/** A message as it was before it was wrapped. `attributes` is in the notation of SNS, not yet read. */
interface Wrapped {
  readonly body: string
  readonly attributes: unknown
}

/** The wrapper of a copy: body and attributes are inside, in the notation of SNS, so that a message may have ten of its own. */
export function wrap(body: string, attributes: Attributes): string {
  return toMessageJson({ Type: TYPE, Message: body, MessageAttributes: toPublished(attributes) })
}

/** Only for a record whose packed attribute says that it is wrapped: a body alone could be a forgery. */
export function unwrap(body: string): Wrapped | undefined {
  const { Type, Message, MessageAttributes } = parseObject(body) ?? {}
  if (Type !== TYPE || typeof Message !== 'string') return undefined
  return { body: Message, attributes: MessageAttributes }
}
