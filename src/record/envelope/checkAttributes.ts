import { ConfigError } from '../../base/errors.ts'
import { emptyAttributes, isAttributeType, isBinary } from './attributes.ts'
import { kindOf } from '../../base/kindOf.ts'
import { ID_ATTRIBUTE, PACKED_ATTRIBUTE } from './lineclearAttributes.ts'
import type { Attribute, Attributes } from './envelope.ts'
import { shorten, toMessageJson } from './json.ts'
import { MAX_USER_ATTRIBUTES } from './outgoingMessage.ts'

/** An attribute as options accept it: a text, a number or bytes; or with its type, as in `envelope.attributes`. */
export type AttributeInput = string | number | Uint8Array | Attribute

// docs.aws.amazon.com/AWSSimpleQueueService/latest/APIReference/API_MessageAttributeValue.html and API_SendMessage.html
const NAME = /^(?!aws\.|amazon\.|\.)(?!.*\.\.)[\w.-]{1,256}(?<!\.)$/i
const UNSENDABLE = /[^\t\n\r\u{20}-\u{d7ff}\u{e000}-\u{fffd}\u{10000}-\u{10ffff}]/u
const RESERVED: readonly string[] = [ID_ATTRIBUTE, PACKED_ATTRIBUTE]

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
    : (wrongName(name) ?? noAttribute(attribute) ?? wrongType(attribute) ?? wrongValue(attribute))
  if (wrong === undefined) return
  throw new ConfigError(
    `attributes: ${toMessageJson(shorten(name, 80))} cannot be sent: ${wrong}. Nothing was sent.`,
  )
}

function wrongName(name: string): string | undefined {
  if (NAME.test(name)) return undefined
  return "a name has 1 to 256 of A-Z a-z 0-9 _ - . and does not begin with 'AWS.' or 'Amazon.', nor begin or end with a period, nor hold two in a row"
}

/** Finds what is wrong with an attribute from JavaScript, which has no types. */
function noAttribute(attribute: unknown): string | undefined {
  if (typeof attribute === 'object' && attribute !== null) return undefined
  return `expected a text, a number, bytes or { type, value }, got ${kindOf(attribute)}`
}

function wrongType({ type, value }: Attribute): string | undefined {
  if (typeof type !== 'string' || !isAttributeType(type) || !isSendable(type)) {
    return 'a type is String, Number or Binary, with a label if you like (Number.float), of at most 256 characters'
  }
  const fits = isBinary(type) ? value instanceof Uint8Array : typeof value === 'string'
  return fits ? undefined : `its value does not fit its type ${type}`
}

function wrongValue({ type, value }: Attribute): string | undefined {
  if (value.length === 0) return 'its value is empty'
  if (typeof value !== 'string') return undefined
  if (!isSendable(value)) return 'its value has characters that SQS and SNS do not take'
  const number = type === 'Number' || type.startsWith('Number.')
  const finite = value.trim() === value && Number.isFinite(Number(value))
  return number && !finite ? 'its value is not a number' : undefined
}
