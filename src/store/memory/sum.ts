import { addDecimals, decimalText, parseDecimal } from '../../base/limits/wireValue.ts'
import { wrongNumber } from '../../base/limits/wrongValue.ts'
import { isNumber } from '../value.ts'
import { toUserValue } from '../wire/attributes.ts'

/**
 * Adds as DynamoDB does, in decimal: 0.1 and 0.2 make 0.3.
 * @returns a text that says what is wrong, when there is no such sum
 */
export function sum(one: number | bigint, other: number | bigint): number | bigint | string {
  const [left, right] = [parseDecimal(String(one)), parseDecimal(String(other))]
  if (left === undefined || right === undefined) return 'is no number'
  const text = decimalText(addDecimals(left, right))
  const wrong = wrongNumber(text)
  if (wrong !== undefined) return wrong
  const value = toUserValue({ N: text })
  return isNumber(value) ? value : 'is no number'
}
