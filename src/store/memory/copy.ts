import { unstorable } from '../mistake.ts'
import type { Item, UserItem, UserValue, Value } from '../store.ts'
import { isList, isMap, isSet, withoutEmptySets } from '../value.ts'

/**
 * Frozen, and sharing nothing with `item`: neither the giver nor a reader can change what is stored.
 * @throws TerminalError naming a value that DynamoDB could not store either.
 */
export function copyItem(item: Item): Item {
  return frozen(item, copyOwnValue)
}

export function copyUserItem(item: UserItem): UserItem {
  return frozen(item, copyValue)
}

function copyOwnValue(value: Value): Value {
  if (typeof value === 'number' && !Number.isFinite(value)) throw unstorable(value)
  return typeof value === 'object' ? new Set(value) : value
}

function copyValue(value: UserValue): UserValue {
  if (typeof value === 'number' && !Number.isFinite(value)) throw unstorable(value)
  if (value === null || SCALARS.has(typeof value)) return value
  if (value instanceof Uint8Array) return new Uint8Array(value)
  if (isMap(value)) return copyUserItem(value)
  if (isList(value)) return Object.freeze(value.map(copyValue))
  if (typeof value === 'object' && isSet(value)) return copySet(value)
  throw unstorable(value)
}

const SCALARS: ReadonlySet<string> = new Set(['string', 'number', 'bigint', 'boolean'])

/** Copying keeps the members' type; TypeScript cannot see that of a union of two kinds of sets. */
function copySet(set: ReadonlySet<string> | ReadonlySet<number>): UserValue {
  const types = new Set([...set].map(memberType))
  if (types.size !== 1 || types.has(undefined)) throw unstorable(set)
  return new Set(set as ReadonlySet<string>)
}

function memberType(member: unknown): string | undefined {
  if (member instanceof Uint8Array) return 'bytes'
  if (typeof member === 'bigint' || Number.isFinite(member)) return 'number'
  return typeof member === 'string' ? 'string' : undefined
}

/** `__proto__` becomes an own attribute like any other. */
function frozen<V extends Value | UserValue>(
  item: Readonly<Record<string, V>>,
  copy: (value: V) => V,
): Readonly<Record<string, V>> {
  const entries = Object.entries(withoutEmptySets(item))
  return Object.freeze(Object.fromEntries(entries.map(([name, value]) => [name, copy(value)])))
}
