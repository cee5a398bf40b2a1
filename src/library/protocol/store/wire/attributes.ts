import type { AttributeValue } from '@aws-sdk/client-dynamodb'
import {
  parseDecimal,
  wholeText,
  wrongLeaf,
  wrongName,
  wrongText,
} from '../../../base/limits/wireValue.ts'
import type { Item, UserItem, UserValue, Value, Creation, StoreKey, Update } from '../store.ts'
import { invalidWrite, unstorable } from '../validateWrite.ts'
import { isEmptySet, isList, isMap, isSet } from '../value.ts'

export type AttributeMap = Record<string, AttributeValue>

/**
 * Converts an item by hand, for two reasons: this is the hot path, and the SDK's `marshall` silently drops an attribute named
 * `__proto__` and fails on an item that has one named `constructor`. An attribute that is undefined or an empty set is left out.
 * In the framework's own items a lone surrogate becomes U+FFFD. In the user's items a text is refused when DynamoDB would return
 * it changed, or would quote it in its refusal.
 * @param table the table of the item; undefined: the framework's
 * @throws TerminalError naming what cannot be stored
 */
export function toAttributeMap(item: Item | UserItem, table?: string, path = ''): AttributeMap {
  const attributes: AttributeMap = {}
  const values: Readonly<Record<string, UserValue | undefined>> = item
  // Keys only: `Object.entries` would allocate an array for each attribute.
  for (const name of Object.keys(values)) {
    const value = values[name]
    if (value === undefined || isEmptySet(value)) continue
    if (table !== undefined) {
      assertValid(path === '' ? wrongName(name) : wrongText(name, `a name in ${path}`), table)
    }
    define(attributes, name, toAttribute(value, path === '' ? name : `${path}.${name}`, table))
  }
  return attributes
}

/** Assigning to `__proto__` would set the prototype. */
function define(attributes: AttributeMap, name: string, value: AttributeValue): void {
  if (name !== '__proto__') attributes[name] = value
  else Object.defineProperty(attributes, name, { value, enumerable: true })
}

export function toAttribute(value: UserValue, path = '', table?: string): AttributeValue {
  const attribute = convert(value, path, table)
  if (table !== undefined) assertValid(wrongLeaf(attribute, path), table)
  return attribute
}

function convert(value: UserValue, path: string, table: string | undefined): AttributeValue {
  if (typeof value === 'string') return { S: table === undefined ? value.toWellFormed() : value }
  if (isFiniteNumber(value)) return { N: String(value) }
  if (typeof value === 'boolean') return { BOOL: value }
  if (value === null) return { NULL: true }
  if (value instanceof Uint8Array) return { B: value }
  if (isMap(value)) return { M: toAttributeMap(value, table, path) }
  if (isList(value)) return { L: value.map((one, at) => toAttribute(one, `${path}[${at}]`, table)) }
  const set = typeof value === 'object' && isSet(value) ? toSet([...value]) : undefined
  if (set === undefined) throw unstorable(value, path, table)
  return set
}

function toSet(members: unknown[]): AttributeValue | undefined {
  if (members.every((one) => typeof one === 'string')) return { SS: members }
  if (members.every((one) => one instanceof Uint8Array)) return { BS: members }
  return members.every(isFiniteNumber) ? { NS: members.map(String) } : undefined
}

function isFiniteNumber(value: unknown): value is number | bigint {
  return typeof value === 'bigint' || Number.isFinite(value)
}

/** An attribute of a type or a name that the framework never writes is left out. Assigning to `__proto__` would set the prototype. */
export function toItem(attributes: AttributeMap): Item {
  const item: Record<string, Value> = {}
  for (const [name, { S, N, BOOL, SS }] of entriesOf(attributes)) {
    const value = S ?? BOOL ?? (N === undefined ? SS && new Set(SS) : Number(N))
    if (value !== undefined && name !== '__proto__') item[name] = value
  }
  return item
}

export function toUserItem(attributes: AttributeMap): UserItem {
  const entries = entriesOf(attributes)
  return Object.fromEntries(entries.map(([name, value]) => [name, toUserValue(value)]))
}

/** The SDK reads a top-level attribute named `__proto__`, which other programs may have written, as undefined. */
function entriesOf(attributes: AttributeMap): [string, AttributeValue][] {
  return Object.entries(attributes).filter(([, value]) => value !== undefined)
}

export function toUserValue({ S, N, BOOL, B, SS, NS, BS, L, M }: AttributeValue): UserValue {
  const scalar = S ?? BOOL ?? B
  if (scalar !== undefined) return scalar
  if (N !== undefined) return toNumber(N)
  if (L !== undefined) return L.map(toUserValue)
  if (M !== undefined) return toUserItem(M)
  if (SS !== undefined) return new Set(SS)
  if (BS !== undefined) return new Set(BS)
  return NS === undefined ? null : new Set(NS.map(toNumber))
}

/** The type depends only on the size, so that it does not change with the last digit of a sum. */
function toNumber(text: string): number | bigint {
  const number = Number(text)
  if (Math.abs(number) <= Number.MAX_SAFE_INTEGER) return number
  const decimal = parseDecimal(text)
  const whole = decimal && wholeText(decimal)
  return whole === undefined ? number : BigInt(whole)
}

/** @throws TerminalError when something is wrong */
export function assertValid(wrong: string | undefined, table: string): void {
  const error = invalidWrite(wrong, table)
  if (error !== undefined) throw error
}

export function keyAttributes({ pk, sk }: StoreKey): AttributeMap {
  return { pk: { S: pk }, sk: { S: sk } }
}

/** The key of the item that a transaction claims. */
export function claimedKey(claim: Update | Creation): StoreKey {
  return 'create' in claim ? claim.create : claim.key
}

/** A different text for each key: the length distinguishes ('a', 'bc') from ('ab', 'c'). */
export function addressOf({ pk, sk }: StoreKey): string {
  return `${pk.length}:${pk}${sk}`
}

export function addressIn({ pk, sk }: AttributeMap): string {
  return addressOf({ pk: pk?.S ?? '', sk: sk?.S ?? '' })
}
