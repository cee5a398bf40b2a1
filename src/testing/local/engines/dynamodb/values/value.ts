import * as DYNAMODB from '../../../../../base/limits/dynamodb.ts'
import { isObject } from '../../../../../base/kindOf.ts'
import { textBytes, type WireItem, type WireValue } from '../../../../../base/limits/wireValue.ts'
import { readNumber } from './number.ts'
import { invalid, Refusal } from './refusal.ts'

/** Bytes, which the protocol writes as base64. */
class Bytes extends Uint8Array {
  toJSON(): string {
    return Buffer.from(this).toString('base64')
  }
}

/** An item of a request: checked, and with numbers in their normal form. @throws Refusal */
export function readItem(given: unknown, depth = 0): WireItem {
  if (!isObject(given)) throw invalid('Supplied AttributeValue is not a map')
  return Object.fromEntries(
    Object.entries(given).map(([name, value]) => {
      if (depth === 0) checkName(name)
      return [name, readValue(value, depth)]
    }),
  )
}

function checkName(name: string): void {
  if (name === '') {
    throw invalid('One or more parameter values were invalid: An attribute name is empty')
  }
  if (textBytes(name) > DYNAMODB.attributeNameBytes) {
    throw invalid(
      'One or more parameter values were invalid: Attribute name is too large, must be less than 65536 bytes',
    )
  }
}

/** @param depth how many lists and maps enclose the value */
export function readValue(given: unknown, depth = 0): WireValue {
  if (depth >= DYNAMODB.nesting) {
    throw invalid(
      'Nesting Levels have exceeded supported limits: Attributes can have at most 32 levels',
    )
  }
  const [type = '', ...others] = isObject(given) ? Object.keys(given) : []
  if (others.length > 0) {
    throw invalid(
      'Supplied AttributeValue has more than one datatypes set, must contain exactly one of the supported datatypes',
    )
  }
  const read = Object.hasOwn(READ, type) ? READ[type] : undefined
  if (read === undefined || !isObject(given)) {
    throw invalid(
      'Supplied AttributeValue is empty, must contain exactly one of the supported datatypes',
    )
  }
  return read(given[type], depth)
}

const READ: Readonly<Record<string, (given: unknown, depth: number) => WireValue>> = {
  S: (given) => ({ S: readText(given) }),
  N: (given) => ({ N: readNumber(readText(given)) }),
  B: (given) => ({ B: readBytes(given) }),
  BOOL: (given) => ({ BOOL: readFlag(given) }),
  NULL: (given) => ({ NULL: readFlag(given) }),
  SS: (given) => ({ SS: readSet(given, 'An string set', readText) }),
  NS: (given) => ({ NS: readSet(given, 'An number set', (one) => readNumber(readText(one))) }),
  BS: (given) => ({ BS: readSet(given, 'Binary sets', readBytes) }),
  L: (given, depth) => ({ L: readList(given).map((one) => readValue(one, depth + 1)) }),
  M: (given, depth) => ({ M: readItem(given, depth + 1) }),
}

function readText(given: unknown): string {
  if (typeof given === 'string' && given.isWellFormed()) return given
  if (typeof given === 'string') {
    throw new Refusal('SerializationException', 'A text has half a character (a lone surrogate)')
  }
  throw ofAnotherType()
}

function readFlag(given: unknown): boolean {
  if (typeof given === 'boolean') return given
  throw ofAnotherType()
}

function ofAnotherType(): Refusal {
  return new Refusal(
    'SerializationException',
    'Supplied AttributeValue has a value of another type',
  )
}

function readBytes(given: unknown): Bytes {
  return new Bytes(Buffer.from(readText(given), 'base64'))
}

function readList(given: unknown): readonly unknown[] {
  if (Array.isArray(given)) return given
  throw ofAnotherType()
}

function readSet<T>(given: unknown, kind: string, read: (one: unknown) => T): readonly T[] {
  const members = readList(given)
  if (members.length === 0) {
    throw invalid(`One or more parameter values were invalid: ${kind}  may not be empty`)
  }
  const values = members.map(read)
  if (new Set(values.map(String)).size < values.length) {
    throw invalid(
      `One or more parameter values were invalid: Input collection [${members.join(', ')}] contains duplicates.`,
    )
  }
  return values
}

/** An attribute of the item's own: one may be named `constructor`. */
export function attributeOf(item: WireItem | undefined, name: string): WireValue | undefined {
  return item !== undefined && Object.hasOwn(item, name) ? item[name] : undefined
}

/** `S`, `N` and so on. */
export function typeOf(value: WireValue): string {
  return Object.keys(value)[0] ?? ''
}

export function isSetType(type: string): boolean {
  return type === 'SS' || type === 'NS' || type === 'BS'
}
