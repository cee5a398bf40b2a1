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
