import type { TerminalError } from '../../base/errors.ts'
import { wrongItem } from '../../base/limits/wrongValue.ts'
import type { Item, UserCondition, UserItem } from '../store.ts'
import { invalidWrite } from '../invalidWrite.ts'
import {
  type AttributeMap,
  toAttribute,
  toAttributeMap,
  toItem,
  toUserItem,
  toUserValue,
} from '../wire/attributes.ts'
import { copyItem, copyUserItem } from './copy.ts'

/**
 * The item in the table after a write: numbers, sets and omitted attributes are as DynamoDB would return them. An Error: DynamoDB
 * would refuse the item as a whole, because it has grown too large or a sum has too many digits.
 * @throws TerminalError naming a value that cannot be stored.
 */
export function asStoredItem(item: Item): Item | TerminalError {
  const attributes = toAttributeMap(item)
  return wrong(attributes) ?? copyItem(toItem(attributes))
}

export function asStoredUserItem(item: UserItem, table: string): UserItem | TerminalError {
  const attributes = toAttributeMap(item, table)
  return wrong(attributes, table) ?? asStoredKey(item, table)
}

/** Numbers of equal value are equal, however they were written. */
export function asStoredKey(key: UserItem, table: string): UserItem {
  return copyUserItem(toUserItem(toAttributeMap(key, table)))
}

export function asStoredCondition(condition: UserCondition): UserCondition {
  if ('all' in condition) return { all: condition.all.map(asStoredCondition) }
  if ('any' in condition) return { any: condition.any.map(asStoredCondition) }
  if (!('field' in condition)) return condition
  if ('contains' in condition) {
    return { ...condition, contains: toUserValue(toAttribute(condition.contains)) }
  }
  return { ...condition, value: toUserValue(toAttribute(condition.value)) }
}

function wrong(attributes: AttributeMap, table?: string): TerminalError | undefined {
  return invalidWrite(wrongItem(attributes), table)
}
