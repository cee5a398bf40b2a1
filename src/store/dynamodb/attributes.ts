import type { AttributeValue } from '@aws-sdk/client-dynamodb'
import { unstorable } from '../mistake.ts'
import type { Item, UserItem, UserValue, Value } from '../store.ts'
import { isEmptySet, isList, isMap, isSet } from '../value.ts'

export type Attributes = Record<string, AttributeValue>

/**
 * By hand, for two reasons: this is the hot path, and `marshall` of the SDK drops an attribute named `__proto__` without
 * a word and fails on an item that has one named `constructor`.
 * @throws TerminalError naming what cannot be stored.
 */
export function toAttributes(item: Item | UserItem): Attributes {
  const attributes: Attributes = {}
  for (const [name, value] of Object.entries(item)) {
    if (!isEmptySet(value)) define(attributes, name, toAttribute(value))
  }
  return attributes
}

/** Assigning to `__proto__` would set the prototype. */
function define(attributes: Attributes, name: string, value: AttributeValue): void {
  if (name !== '__proto__') attributes[name] = value
  else Object.defineProperty(attributes, name, { value, enumerable: true })
}

export function toAttribute(value: UserValue): AttributeValue {
  if (typeof value === 'string') return { S: value }
  if (typeof value === 'number' && !Number.isFinite(value)) throw unstorable(value)
  if (typeof value === 'number' || typeof value === 'bigint') return { N: String(value) }
  if (typeof value === 'boolean') return { BOOL: value }
  if (value === null) return { NULL: true }
  if (value instanceof Uint8Array) return { B: value }
  if (isMap(value)) return { M: toAttributes(value) }
  if (isList(value)) return { L: value.map(toAttribute) }
  if (typeof value === 'object' && isSet(value)) return toSet([...value])
  throw unstorable(value)
}

function toSet(members: unknown[]): AttributeValue {
  if (members.every((one) => typeof one === 'string')) return { SS: members }
  if (members.every((one) => one instanceof Uint8Array)) return { BS: members }
  if (members.every((one) => typeof one === 'number' || typeof one === 'bigint')) {
    return { NS: members.map(String) }
  }
  throw unstorable(members)
}

/** An attribute of a type that the framework never writes is left out. */
export function toItem(attributes: Attributes): Item {
  const item: Record<string, Value> = {}
  for (const [name, { S, N, BOOL, SS }] of entriesOf(attributes)) {
    const value = S ?? BOOL ?? (N === undefined ? SS && new Set(SS) : Number(N))
    if (value !== undefined) item[name] = value
  }
  return item
}

export function toUserItem(attributes: Attributes): UserItem {
  const entries = entriesOf(attributes)
  return Object.fromEntries(entries.map(([name, value]) => [name, toUserValue(value)]))
}

/** The SDK reads a top attribute named `__proto__`, which others may have written, as undefined. */
function entriesOf(attributes: Attributes): [string, AttributeValue][] {
  return Object.entries(attributes).filter(([, value]) => value !== undefined)
}

function toUserValue({ S, N, BOOL, B, SS, NS, BS, L, M }: AttributeValue): UserValue {
  const scalar = S ?? BOOL ?? B
  if (scalar !== undefined) return scalar
  if (N !== undefined) return toNumber(N)
  if (L !== undefined) return L.map(toUserValue)
  if (M !== undefined) return toUserItem(M)
  const members = SS ?? BS ?? NS?.map(toNumber)
  return members === undefined ? null : toUserSet(members)
}

/** The port's type knows sets of strings or numbers; a table may also hold sets of bytes, or whole numbers past 2^53. */
function toUserSet(members: readonly (string | number | bigint | Uint8Array)[]): UserValue {
  return new Set(members as readonly string[])
}

/** A whole number beyond 2^53 comes back as a bigint; a fraction with more than 17 digits loses the rest. */
function toNumber(text: string): number | bigint {
  const number = Number(text)
  return Number.isSafeInteger(number) || !/^-?\d+$/.test(text) ? number : BigInt(text)
}
