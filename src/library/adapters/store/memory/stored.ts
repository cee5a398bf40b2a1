import { TerminalError } from '../../../base/errors.ts'
import { wrongItem } from '../../../base/limits/wireValue.ts'
import type {
  Item,
  UserCondition,
  UserItem,
  UserValue,
  Value,
} from '../../../protocol/store/store.ts'
import { invalidWrite } from '../../../protocol/store/validateWrite.ts'
import {
  type AttributeMap,
  toAttribute,
  toAttributeMap,
  toItem,
  toUserItem,
  toUserValue,
} from '../../../protocol/store/wire/attributes.ts'
import { isList, isMap } from '../../../protocol/store/value.ts'

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
  return { ...condition, value: toUserValue(toAttribute(condition.value)) }
}

/** The outcome of a write after which `item` is in the table, if DynamoDB takes it. */
export function outcomeOf<I>(item: I | TerminalError): Written<I> {
  return item instanceof TerminalError ? { kind: 'failed', error: item } : { kind: 'applied', item }
}

type Written<I> =
  | { readonly kind: 'applied'; readonly item: I }
  | { readonly kind: 'failed'; readonly error: TerminalError }

/** The attributes of `item` that a write does not remove. */
export function keptOf<I extends Item | UserItem>(item: I, remove: readonly string[] = []): I {
  const removed = new Set(remove)
  const kept = Object.entries(item).filter(([name]) => !removed.has(name))
  return Object.fromEntries(kept) as I
}

function wrong(attributes: AttributeMap, table?: string): TerminalError | undefined {
  return invalidWrite(wrongItem(attributes), table)
}

/** A frozen copy that shares nothing with `item`, so that neither the caller nor a reader can change what is stored. */
export function copyItem(item: Item): Item {
  const copy: Record<string, Value> = { ...item }
  for (const [name, value] of Object.entries(item)) {
    if (typeof value === 'object') define(copy, name, new Set(value))
  }
  return Object.freeze(copy)
}

/** Written by hand, because `structuredClone` would take a tenth of the time of a test that explores thousands of schedules. */
export function copyUserItem(item: UserItem): UserItem {
  const copy: Record<string, UserValue> = { ...item }
  for (const [name, value] of Object.entries(item)) {
    if (typeof value === 'object') define(copy, name, copyUserValue(value))
  }
  return Object.freeze(copy)
}

function copyUserValue(value: UserValue): UserValue {
  if (typeof value !== 'object' || value === null) return value
  if (isList(value)) return Object.freeze(value.map(copyUserValue))
  return isMap(value) ? copyUserItem(value) : structuredClone(value)
}

/** Assigning to `__proto__` would set the prototype. */
function define<V>(copy: Record<string, V>, name: string, value: V): void {
  Object.defineProperty(copy, name, { value, enumerable: true })
}
