import * as DYNAMODB from '../../../../../base/limits/dynamodb.ts'
import { addDecimals, parseDecimal } from '../../../../../base/limits/wireValue.ts'
import { invalid } from './refusal.ts'

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
export function compareNumbers(one: string, other: string): number {
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
