import type { Item, UserItem, UserValue, Value } from '../store.ts'
import { isList, isMap } from '../value.ts'

/** Frozen, and sharing nothing with `item`: neither the giver nor a reader can change what is stored. */
export function copyItem(item: Item): Item {
  const entries = Object.entries(item).map(([name, value]) => [name, copyValue(value)] as const)
  return Object.freeze(Object.fromEntries(entries))
}

export function copyUserItem(item: UserItem): UserItem {
  const copy = structuredClone(item)
  freeze(copy)
  return copy
}

function copyValue(value: Value): Value {
  return typeof value === 'object' ? new Set(value) : value
}

function freeze(value: UserValue): void {
  if (isList(value)) value.forEach(freeze)
  else if (isMap(value)) Object.values(value).forEach(freeze)
  else return
  Object.freeze(value)
}
