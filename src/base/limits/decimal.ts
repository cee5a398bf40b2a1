import * as DYNAMODB from './dynamodb.ts'

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

/** Why DynamoDB would refuse a number. The text is appended to the number's name. */
export function wrongNumber(text: string): string | undefined {
  const decimal = parseDecimal(text)
  if (decimal === undefined) return 'is no number'
  const { digits, power } = decimal
  if (digits.length > DYNAMODB.numberDigits) {
    return `has ${digits.length} significant digits, and DynamoDB keeps ${DYNAMODB.numberDigits}`
  }
  if (power > DYNAMODB.numberLargestPower) return 'lies beyond ±9.99e125, DynamoDB’s largest number'
  if (digits !== '' && power < DYNAMODB.numberSmallestPower) {
    return 'is nearer to zero than 1e-130, DynamoDB’s smallest number'
  }
  return undefined
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
