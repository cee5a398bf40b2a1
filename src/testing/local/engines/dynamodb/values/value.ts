import { isDeepStrictEqual } from 'node:util'
import * as DYNAMODB from '../../../../../library/base/limits/dynamodb.ts'
import {
  type WireValue,
  textBytes,
  type WireItem,
  addDecimals,
  parseDecimal,
} from '../../../../../library/base/limits/wireValue.ts'
import { isObject } from '../../../../../library/base/kindOf.ts'
import { invalid, invalidValue, Refusal } from './refusal.ts'

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
    throw invalidValue('An attribute name is empty')
  }
  if (textBytes(name) > DYNAMODB.attributeNameBytes) {
    throw invalidValue('Attribute name is too large, must be less than 65536 bytes')
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
  NULL: (given) => ({ NULL: readNull(given) }),
  SS: (given) => ({ SS: readSet(given, 'An string set', readText) }),
  NS: (given) => ({ NS: readSet(given, 'An number set', (one) => readNumber(readText(one))) }),
  BS: (given) => ({ BS: readSet(given, 'Binary sets', readBytes) }),
  L: (given, depth) => ({ L: readList(given).map((one) => readValue(one, depth + 1)) }),
  M: (given, depth) => ({ M: readItem(given, depth + 1) }),
}

function readText(given: unknown): string {
  if (typeof given !== 'string') throw ofAnotherType()
  if (given.isWellFormed()) return given
  throw new Refusal('SerializationException', 'A text has half a character (a lone surrogate)')
}

function readFlag(given: unknown): boolean {
  if (typeof given === 'boolean') return given
  throw ofAnotherType()
}

function readNull(given: unknown): true {
  if (readFlag(given)) return true
  throw invalidValue('Null attribute value types must have the value of true')
}

function ofAnotherType(): Refusal {
  return new Refusal(
    'SerializationException',
    'Supplied AttributeValue has a value of another type',
  )
}

function readBytes(given: unknown): Bytes {
  const text = readText(given)
  if (text.length % 4 === 0 && /^[A-Za-z\d+/]*={0,2}$/.test(text)) {
    return new Bytes(Buffer.from(text, 'base64'))
  }
  throw new Refusal(
    'SerializationException',
    'The value cannot be converted to a Blob: it is no base64',
  )
}

function readList(given: unknown): readonly unknown[] {
  if (Array.isArray(given)) return given
  throw ofAnotherType()
}

function readSet<T>(given: unknown, kind: string, read: (one: unknown) => T): readonly T[] {
  const members = readList(given)
  if (members.length === 0) {
    throw invalidValue(`${kind}  may not be empty`)
  }
  const values = members.map(read)
  if (new Set(values.map(String)).size < values.length) {
    throw invalidValue(`Input collection [${members.join(', ')}] contains duplicates.`)
  }
  return values
}

/** An attribute of the item's own: one may be named `constructor`. */
export function ownAttribute(item: WireItem | undefined, name: string): WireValue | undefined {
  return item !== undefined && Object.hasOwn(item, name) ? item[name] : undefined
}

/** `S`, `N` and so on. */
export function typeOf(value: WireValue): string {
  return Object.keys(value)[0] ?? ''
}

export function isSetType(type: string): boolean {
  return type === 'SS' || type === 'NS' || type === 'BS'
}

type Decimal = NonNullable<ReturnType<typeof parseDecimal>>

/** A number in the form in which DynamoDB returns it: no exponent, and no zeros at its ends. @throws Refusal */
export function readNumber(text: string): string {
  const decimal = parseDecimal(text)
  if (decimal === undefined) {
    throw invalid(`The parameter cannot be converted to a numeric value: ${text}`)
  }
  return written(decimal)
}

function written(decimal: Decimal): string {
  const { digits, power } = decimal
  if (digits.length > DYNAMODB.numberDigits) {
    throw invalid('Attempting to store more than 38 significant digits in a Number')
  }
  if (power > DYNAMODB.numberLargestPower) {
    throw invalid(
      'Number overflow. Attempting to store a number with magnitude larger than supported range',
    )
  }
  if (digits !== '' && power < DYNAMODB.numberSmallestPower) {
    throw invalid(
      'Number underflow. Attempting to store a number with magnitude smaller than supported range',
    )
  }
  return plain(decimal)
}

function plain({ negative, digits, power }: Decimal): string {
  const sign = negative ? '-' : ''
  if (digits === '') return '0'
  if (power < 0) return `${sign}0.${'0'.repeat(-power - 1)}${digits}`
  const whole = digits.slice(0, power + 1).padEnd(power + 1, '0')
  const fraction = digits.slice(power + 1)
  return `${sign}${whole}${fraction && `.${fraction}`}`
}

/** @param sign -1 subtracts */
export function addNumbers(one: string, other: string, sign: 1 | -1 = 1): string {
  return written(sum(one, other, sign))
}

/** Below 0, 0, or above 0. Both are in their normal form. */
function compareNumbers(one: string, other: string): number {
  if (one === other) return 0
  if (one.length <= EXACT && other.length <= EXACT) return Number(one) - Number(other)
  return sum(one, other, -1).negative ? -1 : 1
}

/** Numbers of so many characters are different as JavaScript's numbers, too. */
const EXACT = 15

function sum(one: string, other: string, sign: 1 | -1): Decimal {
  const [left, right] = [decimalOf(one), decimalOf(other)]
  return addDecimals(left, sign === 1 ? right : { ...right, negative: !right.negative })
}

function decimalOf(text: string): Decimal {
  return parseDecimal(text) ?? { negative: false, digits: '', power: 0 }
}

/** Whatever the order of sets and of names in maps. */
export function areEqual(one: WireValue, other: WireValue): boolean {
  if (one.S !== undefined || one.N !== undefined) return one.S === other.S && one.N === other.N
  return isDeepStrictEqual(comparable(one), comparable(other))
}

function comparable(value: WireValue): unknown {
  const { L, M } = value
  if (isSetType(typeOf(value))) return { [typeOf(value)]: new Set(membersOf(value).map(idOf)) }
  if (L !== undefined) return L.map(comparable)
  if (M === undefined) return value
  return new Map(Object.entries(M).map(([name, one]) => [name, comparable(one)]))
}

/** The members of a set, as values. */
export function membersOf({ SS, NS, BS }: WireValue): readonly WireValue[] {
  if (SS !== undefined) return SS.map((S) => ({ S }))
  if (NS !== undefined) return NS.map((N) => ({ N }))
  return (BS ?? []).map((B) => ({ B }))
}

/** Below 0, 0 or above 0; undefined: the two are of different types, or of one that has no order. */
export function orderOf(one: WireValue, other: WireValue): number | undefined {
  if (one.N !== undefined && other.N !== undefined) return compareNumbers(one.N, other.N)
  if (one.S !== undefined && other.S !== undefined) return compareTexts(one.S, other.S)
  if (one.B !== undefined && other.B !== undefined) return Buffer.compare(one.B, other.B)
  return undefined
}

/** By their bytes in UTF-8. */
export function compareTexts(one: string, other: string): number {
  return one === other ? 0 : Buffer.compare(Buffer.from(one), Buffer.from(other))
}

/** A different text for each text, number or bytes of one type. */
export function idOf({ S, N, B }: WireValue): string {
  return S ?? N ?? Buffer.from(B ?? []).toString('base64')
}
