import { TerminalError } from '../../base/errors.ts'
import { holds } from '../condition.ts'
import type { UserItem, UserWrite } from '../store.ts'
import { attribute, isNumber } from '../value.ts'
import { asStoredCondition, asStoredUserItem } from './stored.ts'
import { addDecimals, decimalText, parseDecimal, wrongNumber } from '../../base/limits/wireValue.ts'
import { toUserValue } from '../wire/attributes.ts'

export type UserOutcome =
  | { readonly kind: 'applied'; readonly item: UserItem | undefined }
  | { readonly kind: 'refused'; readonly item: UserItem | undefined }
  | { readonly kind: 'failed'; readonly error: TerminalError }

/**
 * Applies `write` to the user's `item`. As in DynamoDB, a change creates a missing item.
 * @throws TerminalError naming a value that cannot be stored.
 */
export function applyUserWrite(item: UserItem | undefined, write: UserWrite): UserOutcome {
  const where = write.where.map(asStoredCondition)
  if (!where.every((condition) => holds(condition, item))) return { kind: 'refused', item }
  if ('delete' in write) return { kind: 'applied', item: undefined }
  if ('put' in write) return outcome({ ...write.put, ...write.Key }, write)
  const { set = {}, add = {}, remove = [] } = write
  const changes = Object.keys(set).length + Object.keys(add).length + remove.length
  if (changes === 0) return { kind: 'applied', item }
  const summed = sums(item, write.TableName, add)
  if (summed instanceof Error) return { kind: 'failed', error: summed }
  const removed = new Set(remove)
  const kept = Object.entries(item ?? write.Key).filter(([name]) => !removed.has(name))
  return outcome({ ...Object.fromEntries(kept), ...set, ...summed }, write)
}

function outcome(item: UserItem, { TableName }: UserWrite): UserOutcome {
  const after = asStoredUserItem(item, TableName)
  return after instanceof Error
    ? { kind: 'failed', error: after }
    : { kind: 'applied', item: after }
}

function sums(
  item: UserItem | undefined,
  table: string,
  add: Readonly<Record<string, number | bigint>>,
): UserItem | TerminalError {
  const changed: [string, number | bigint][] = []
  for (const [name, amount] of Object.entries(add)) {
    const found = attribute(item, name) ?? 0
    const after = isNumber(found) ? sum(found, amount) : 'is no number'
    if (typeof after === 'string') {
      const what = `Attribute ${JSON.stringify(name)} of table ${table}`
      return new TerminalError(`${what} ${after}: nothing was added to it, and nothing written.`)
    }
    changed.push([name, after])
  }
  return Object.fromEntries(changed)
}

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
