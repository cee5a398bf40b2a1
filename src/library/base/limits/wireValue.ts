import * as DYNAMODB from './dynamodb.ts'

/** A value and an item as DynamoDB's API writes them; the SDK's `AttributeValue` fits. */
export interface WireValue {
  readonly S?: string | undefined
  readonly N?: string | undefined
  readonly B?: Uint8Array | undefined
  readonly BOOL?: boolean | undefined
  readonly NULL?: boolean | undefined
  readonly SS?: readonly string[] | undefined
  readonly NS?: readonly string[] | undefined
  readonly BS?: readonly Uint8Array[] | undefined
  readonly L?: readonly WireValue[] | undefined
  readonly M?: WireItem | undefined
}
export type WireItem = Readonly<Record<string, WireValue>>

const CONTAINER_BYTES = 3
const ELEMENT_BYTES = 1

/**
 * The size of an item as DynamoDB counts it: names and values in UTF-8; for a number, one byte per two digits and one more; for a
 * list or map, 3 bytes and 1 for each element.
 * https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/CapacityUnitCalculations.html
 */
export function itemBytes(item: WireItem): number {
  return sum(Object.entries(item), ([name, value]) => textBytes(name) + valueBytes(value))
}

export function valueBytes({ S, N, B, SS, NS, BS, L, M }: WireValue): number {
  if (S !== undefined) return textBytes(S)
  if (N !== undefined) return numberBytes(N)
  if (B !== undefined) return B.byteLength
  if (SS !== undefined) return sum(SS, textBytes)
  if (NS !== undefined) return sum(NS, numberBytes)
  if (BS !== undefined) return sum(BS, ({ byteLength }) => byteLength)
  if (L !== undefined) return CONTAINER_BYTES + sum(L, (one) => ELEMENT_BYTES + valueBytes(one))
  if (M !== undefined) return CONTAINER_BYTES + Object.keys(M).length * ELEMENT_BYTES + itemBytes(M)
  return 1
}

export function textBytes(text: string): number {
  return Buffer.byteLength(text)
}

function numberBytes(text: string): number {
  return Math.ceil((parseDecimal(text)?.digits.length ?? 0) / 2) + 1
}

function sum<T>(all: readonly T[], bytesOf: (one: T) => number): number {
  return all.reduce((total, one) => total + bytesOf(one), 0)
}

/** A number: `negative` × `digits` with a point after the first digit × 10^`power`. Zero has no digits. */
interface Decimal {
  readonly negative: boolean
  /** Digits without zeros at either end. */
  readonly digits: string
  readonly power: number
}

const NUMBER = /^([+-]?)(\d*)(?:\.(\d*))?(?:e([+-]?\d+))?$/i

/** @returns undefined when the text is not a number */
export function parseDecimal(text: string): Decimal | undefined {
  const [, sign, whole = '', fraction = '', exponent = '0'] = NUMBER.exec(text) ?? []
  const all = whole + fraction
  if (all === '') return undefined
  const digits = all.replace(/^0+/, '')
  const power = whole.length - 1 - (all.length - digits.length) + Number(exponent)
  if (digits === '') return { negative: false, digits, power: 0 }
  return { negative: sign === '-', digits: digits.replace(/0+$/, ''), power }
}

/** The shortest text of a whole number, whatever its notation. Undefined: it is a fraction. */
export function wholeText({ negative, digits, power }: Decimal): string | undefined {
  if (digits === '') return '0'
  const zeros = power + 1 - digits.length
  return zeros < 0 ? undefined : `${negative ? '-' : ''}${digits}${'0'.repeat(zeros)}`
}

/** Adds exactly, as DynamoDB does. The sum may have more digits than DynamoDB stores. */
export function addDecimals(one: Decimal, other: Decimal): Decimal {
  const last = Math.min(lastPower(one), lastPower(other))
  const sum = unitsOf(one, last) + unitsOf(other, last)
  return parseDecimal(`${sum}e${last}`) ?? one
}

/** The number as DynamoDB's API writes it. */
export function decimalText({ negative, digits, power }: Decimal): string {
  if (digits === '') return '0'
  const fraction = digits.slice(1)
  return `${negative ? '-' : ''}${digits.slice(0, 1)}${fraction && `.${fraction}`}e${power}`
}

/** The power of ten of the last digit. */
function lastPower({ digits, power }: Decimal): number {
  return digits === '' ? power : power - digits.length + 1
}

function unitsOf(decimal: Decimal, unit: number): bigint {
  const { negative, digits } = decimal
  const count = BigInt(digits === '' ? 0 : digits + '0'.repeat(lastPower(decimal) - unit))
  return negative ? -count : count
}

/**
 * What DynamoDB would refuse in an item, as a text that begins with the attribute's path and never shows its value. Undefined:
 * DynamoDB accepts the item.
 */
export function wrongItem(item: WireItem): string | undefined {
  const wrong = firstWrong(
    Object.entries(item),
    ([name, value]) => wrongName(name) ?? wrongValue(value, name),
  )
  if (wrong !== undefined) return wrong
  const bytes = itemBytes(item)
  return bytes > DYNAMODB.itemBytes
    ? `the item has ${bytes} bytes, and DynamoDB takes ${DYNAMODB.itemBytes} (400 KB)`
    : undefined
}

export function wrongName(name: string): string | undefined {
  if (name === '') return 'an attribute has an empty name'
  if (textBytes(name) > DYNAMODB.attributeNameBytes) {
    return `an attribute has a name of more than ${DYNAMODB.attributeNameBytes} bytes`
  }
  return name.isWellFormed() ? undefined : 'an attribute has half a character in its name'
}

/** @param depth how many lists and maps enclose the value */
export function wrongValue(value: WireValue, path: string, depth = 0): string | undefined {
  if (depth >= DYNAMODB.nesting) {
    return `${path} is nested more than ${DYNAMODB.nesting} levels deep, and DynamoDB takes no more`
  }
  return wrongLeaf(value, path) ?? wrongMembers(value.L ?? [], value.M ?? {}, path, depth + 1)
}

/** As `wrongValue`, for a value that contains no list and no map. */
export function wrongLeaf({ S, N, SS, NS, BS }: WireValue, path: string): string | undefined {
  if (S !== undefined) return wrongText(S, path)
  if (N !== undefined) return said(path, wrongNumber(N))
  if (SS !== undefined) return wrongSet(SS, path, (one) => wrongText(one, path), String)
  if (NS !== undefined) return wrongSet(NS, path, (one) => said(path, wrongNumber(one)), normal)
  return BS && wrongSet(BS, path, () => undefined, hexOf)
}

function wrongMembers(
  list: readonly WireValue[],
  map: WireItem,
  path: string,
  depth: number,
): string | undefined {
  return (
    firstWrong(list.entries(), ([at, one]) => wrongValue(one, `${path}[${at}]`, depth)) ??
    firstWrong(Object.entries(map), ([name, one]) => wrongValue(one, `${path}.${name}`, depth))
  )
}

export function firstWrong<T>(
  all: Iterable<T>,
  wrong: (one: T) => string | undefined,
): string | undefined {
  for (const one of all) {
    const found = wrong(one)
    if (found !== undefined) return found
  }
  return undefined
}

/** A lone surrogate would become U+FFFD in UTF-8, so a different text would be read back. */
export function wrongText(text: string, path: string): string | undefined {
  return text.isWellFormed() ? undefined : `${path} has half a character (a lone surrogate)`
}

function wrongSet<T>(
  members: readonly T[],
  path: string,
  wrongMember: (one: T) => string | undefined,
  textOf: (one: T) => string,
): string | undefined {
  if (members.length === 0) return `${path} is an empty set, and DynamoDB has none`
  if (new Set(members.map(textOf)).size < members.length) return `${path} holds one member twice`
  return firstWrong(members, wrongMember)
}

function normal(text: string): string {
  const decimal = parseDecimal(text)
  return decimal === undefined ? text : decimalText(decimal)
}

function hexOf(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString('hex')
}

function said(path: string, wrong: string | undefined): string | undefined {
  return wrong && `${path} ${wrong}`
}

/** Why DynamoDB would refuse a number. The text is appended to the number's name. */
export function wrongNumber(text: string): string | undefined {
  const decimal = parseDecimal(text)
  if (decimal === undefined) return 'is no number'
  const { digits, power } = decimal
  // @protects no number has more digits than DynamoDB keeps
  // @tests test/store/contract
  if (digits.length > DYNAMODB.numberDigits) {
    return `has ${digits.length} significant digits, and DynamoDB keeps ${DYNAMODB.numberDigits}`
  }
  if (power > DYNAMODB.numberLargestPower) return 'lies beyond ±9.99e125, DynamoDB’s largest number'
  if (digits !== '' && power < DYNAMODB.numberSmallestPower) {
    return 'is nearer to zero than 1e-130, DynamoDB’s smallest number'
  }
  return undefined
}
