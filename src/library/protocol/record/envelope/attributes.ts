import { ID_ATTRIBUTE, type Ignore, PACKED_ATTRIBUTE } from './lineclearAttributes.ts'
import type { Attribute, Attributes } from './envelope.ts'
import { isObject } from '../../../base/kindOf.ts'

/** The attributes of a message, or of the notification in it: the sender's attributes, and Lineclear's two separately. */
export interface AttributeLevel {
  readonly user: Attributes
  readonly id?: Attribute
  readonly packed?: Attribute
}

type Entry = Readonly<Record<string, unknown>>
type ReadEntry = (entry: Entry) => Attribute | undefined

const TYPE = /^(?:String|Number|Binary)(?:\..+)?$/s
const NO_ATTRIBUTES: Attributes = Object.freeze(emptyAttributes<Attribute>())
const NO_LEVEL: AttributeLevel = { user: NO_ATTRIBUTES }

/** An object without a prototype: on `{}`, setting `__proto__` would change the prototype. */
export function emptyAttributes<T>(): Record<string, T> {
  return { __proto__: null } as object as Record<string, T>
}

/** Reads the attributes of a Lambda record: `{ name: { dataType, stringValue | binaryValue } }`. */
export function readRecordAttributes(from: unknown, ignore: Ignore): AttributeLevel {
  return readLevel('messageAttributes', from, recordEntry, ignore)
}

/** Reads the attributes inside a body, as SNS and our wrapper write them: `{ name: { Type, Value } }`. */
export function readPublishedAttributes(from: unknown, ignore: Ignore): AttributeLevel {
  return readLevel('MessageAttributes', from, ({ Type, Value }) => readTyped(Type, Value), ignore)
}

/** Merges both. For a name that both have, the publisher's attribute (`inner`) is kept. Frozen. */
export function mergeAttributes(outer: Attributes, inner: Attributes): Attributes {
  if (inner === NO_ATTRIBUTES) return outer
  if (outer === NO_ATTRIBUTES) return inner
  return Object.freeze(Object.assign(emptyAttributes<Attribute>(), outer, inner))
}

/** Attributes in the notation of SNS; bytes as base64. */
export function toPublished(
  attributes: Attributes,
): Record<string, { Type: string; Value: string }> {
  const published = emptyAttributes<{ Type: string; Value: string }>()
  for (const [name, { type, value }] of Object.entries(attributes)) {
    const text = typeof value === 'string' ? value : Buffer.from(value).toString('base64')
    published[name] = { Type: type, Value: text }
  }
  return published
}

export function isBinary(type: string): boolean {
  return type === 'Binary' || type.startsWith('Binary.')
}

export function isAttributeType(type: string): boolean {
  // @survives ConditionalExpression: the pattern takes the commonest type as well; to compare first saves its time.
  return type === 'String' || (type.length <= 256 && TYPE.test(type))
}

function readLevel(source: string, from: unknown, read: ReadEntry, ignore: Ignore): AttributeLevel {
  if (from === undefined || from === null) return NO_LEVEL
  if (!isObject(from)) {
    ignore(source)
    return NO_LEVEL
  }
  const entries = Object.entries(from)
  if (entries.length === 0) return NO_LEVEL
  const user = emptyAttributes<Attribute>()
  const level: { -readonly [K in keyof AttributeLevel]: AttributeLevel[K] } = { user }
  for (const [name, entry] of entries) {
    const attribute = isObject(entry) ? read(entry) : undefined
    if (attribute === undefined) ignore(name)
    else if (name === ID_ATTRIBUTE) level.id = attribute
    else if (name === PACKED_ATTRIBUTE) level.packed = attribute
    else user[name] = attribute
  }
  Object.freeze(user)
  return level
}

function recordEntry({ dataType, stringValue, binaryValue }: Entry): Attribute | undefined {
  const binary = typeof dataType === 'string' && isBinary(dataType)
  return readTyped(dataType, binary ? binaryValue : stringValue)
}

function readTyped(type: unknown, text: unknown): Attribute | undefined {
  if (typeof type !== 'string' || typeof text !== 'string' || !isAttributeType(type)) {
    return undefined
  }
  if (!isBinary(type)) return Object.freeze({ type, value: text })
  const value = fromBase64(text)
  return value && Object.freeze({ type, value })
}

/** @returns undefined for text that is not base64, because decoding it anyway would give other bytes than were sent */
function fromBase64(text: string): Uint8Array | undefined {
  const bytes = Buffer.from(text, 'base64')
  return bytes.toString('base64') === text ? new Uint8Array(bytes) : undefined
}
