import { Buffer } from 'node:buffer'
import { isObject } from '../../../base/kindOf.ts'
import type { QueueMessage } from '../../send/messenger.ts'
import { emptyAttributes } from '../../record/envelope/attributes.ts'
import type { OutgoingAttribute } from '../../record/envelope/buildMessage.ts'

/** The message as one text. Binary attributes are base64 under `b64`. */
export function writeMessage({
  delaySeconds: _delay,
  moved: _stored,
  attributes,
  ...message
}: QueueMessage): string {
  const texts = Object.entries(attributes).map(([name, attribute]) => [
    name,
    'BinaryValue' in attribute
      ? { type: attribute.DataType, b64: Buffer.from(attribute.BinaryValue).toString('base64') }
      : { type: attribute.DataType, text: attribute.StringValue },
  ])
  return JSON.stringify({ ...message, attributes: texts })
}

const TEXTS = ['traceHeader', 'groupId', 'deduplicationId'] as const
const KNOWN: readonly string[] = ['body', 'attributes', ...TEXTS]

/** @returns undefined for a text that this version has not written; what it does not know must not get lost on the way */
export function readStoredMessage(text: unknown): QueueMessage | undefined {
  const wire = parsed(text)
  if (wire === undefined || Object.keys(wire).some((name) => !KNOWN.includes(name)))
    return undefined
  const { body, attributes } = wire
  if (typeof body !== 'string' || !Array.isArray(attributes)) return undefined
  const read = attributes.map(readAttribute)
  if (!read.every((attribute) => attribute !== undefined)) return undefined
  const given = TEXTS.filter((name) => wire[name] !== undefined)
  if (given.some((name) => typeof wire[name] !== 'string')) return undefined
  const texts = Object.fromEntries(given.map((name) => [name, wire[name] as string]))
  const named = emptyAttributes<OutgoingAttribute>()
  for (const [name, attribute] of read) named[name] = attribute
  return { body, attributes: named, ...texts }
}

function parsed(text: unknown): Readonly<Record<string, unknown>> | undefined {
  if (typeof text !== 'string') return undefined
  try {
    const value: unknown = JSON.parse(text)
    return isObject(value) ? { ...value } : undefined
  } catch {
    return undefined
  }
}

function readAttribute(given: unknown): readonly [string, OutgoingAttribute] | undefined {
  if (!Array.isArray(given) || given.length !== 2) return undefined
  const pair: readonly unknown[] = given
  const [name, value] = pair
  if (typeof name !== 'string' || !isObject(value) || !('type' in value)) return undefined
  const { type: DataType } = value
  if (typeof DataType !== 'string') return undefined
  if ('text' in value && typeof value.text === 'string') {
    return [name, { DataType, StringValue: value.text }]
  }
  if ('b64' in value && typeof value.b64 === 'string') {
    return [name, { DataType, BinaryValue: Buffer.from(value.b64, 'base64') }]
  }
  return undefined
}
