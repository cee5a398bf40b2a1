import { isPromiseLike, kindOf } from '../../../base/kindOf.ts'
import type { UserItem, UserValue, UserKey } from '../../../protocol/store/store.ts'
import { STORABLE } from '../../../protocol/store/validateWrite.ts'
import { isMap } from '../../../protocol/store/value.ts'
import { ConfigError } from '../../../base/errors.ts'
import { unknownName } from '../../../base/options.ts'

/** Makes the error from the path, what was expected and the kind of the given value. It never shows the value itself. */
export type Refuse = (path: string, expected: string, given: unknown) => Error

/**
 * Attributes as they can be stored. `undefined` is left out at the top level and in maps, as the SDK does with
 * `removeUndefinedValues`. They are copied, because the write may wait for its turn. A value that DynamoDB cannot store is
 * refused by its path, such as `address.lines[0]`.
 */
export function checkItem(item: object, refuse: Refuse, path = ''): UserItem {
  const entries = Object.entries(item)
    .filter(([, value]) => value !== undefined)
    .map(([name, value]) => [name, checkValue(value, refuse, path + name)] as const)
  return Object.fromEntries(entries)
}

export function checkValue(value: unknown, refuse: Refuse, path: string): UserValue {
  switch (typeof value) {
    case 'string':
    case 'boolean':
    case 'bigint':
      return value
    case 'number':
      if (Number.isFinite(value)) return value
      throw refuse(path, 'a finite number', value)
    case 'object':
      return value === null ? null : checkObject(value, refuse, path)
    default:
      throw refuse(path, STORABLE, value)
  }
}

function checkObject(value: object, refuse: Refuse, path: string): UserValue {
  if (value instanceof Uint8Array) return new Uint8Array(value)
  if (Array.isArray(value)) {
    return Array.from(value, (one: unknown, at) => checkValue(one, refuse, `${path}[${at}]`))
  }
  if (value instanceof Set) return checkSet(value, refuse, path)
  if (!isMap(value)) throw refuse(path, expectedFor(value), value)
  return checkItem(value, refuse, `${path}.`)
}

function expectedFor(value: object): string {
  if (value instanceof Date) return 'a text or a number, such as toISOString() or getTime()'
  if (value instanceof Map) return 'a plain object, such as Object.fromEntries(map)'
  if (isPromiseLike(value)) return 'a value'
  if (Object.keys(value).length > 0) return 'a plain object, such as { ...object }'
  return STORABLE
}

function checkSet(set: ReadonlySet<unknown>, refuse: Refuse, path: string): UserValue {
  const kinds = new Set([...set].map(memberKind))
  if (kinds.size > 1 || kinds.has(undefined)) {
    throw refuse(path, 'a Set of texts only, of numbers only, or of bytes only', set)
  }
  // The members were checked; TypeScript cannot infer that for a union of sets.
  return new Set(set as ReadonlySet<string>)
}

function memberKind(member: unknown): string | undefined {
  if (typeof member === 'string') return 'text'
  if (typeof member === 'bigint' || Number.isFinite(member)) return 'number'
  return member instanceof Uint8Array ? 'bytes' : undefined
}

export type Fields = Readonly<Record<string, unknown>>

/** Checks the item address of `ctx.get`. */
export function checkTarget(call: string, given: unknown): UserKey {
  const fields = toFields(given)
  if (fields === undefined)
    throw invalidCall(call, `expected { TableName, Key }; got ${kindOf(given)}`)
  const unknown = unknownName(fields, ['TableName', 'Key'])
  if (unknown !== undefined) throw invalidCall(call, unknown)
  return targetOf(call, fields)
}

export function targetOf(call: string, fields: Fields): UserKey {
  const { TableName } = fields
  if (typeof TableName !== 'string' || TableName === '') {
    throw invalidCall(
      call,
      `TableName: expected the name of a table (is its environment variable set?); got ${kindOf(TableName)}`,
    )
  }
  const here = onTable(call, fields)
  const Key = toFields(fields['Key'])
  if (Key === undefined || Object.keys(Key).length === 0) {
    throw invalidCall(
      here,
      `Key: expected the attributes of the table's key, such as { id: 'a' }; got ${kindOf(fields['Key'])}`,
    )
  }
  for (const [name, value] of Object.entries(Key)) {
    if (isKeyValue(value)) continue
    throw invalidCall(
      here,
      `Key: ${name}: expected a text that is not empty, a finite number or bytes; got ${kindOf(value)}`,
    )
  }
  return { TableName, Key: Key as UserKey['Key'] }
}

function isKeyValue(value: unknown): boolean {
  if (typeof value === 'string') return value !== ''
  if (value instanceof Uint8Array) return value.length > 0
  return typeof value === 'bigint' || (typeof value === 'number' && Number.isFinite(value))
}

export function onTable(call: string, { TableName }: Fields): string {
  return typeof TableName === 'string'
    ? `${call} on table ${JSON.stringify(TableName.slice(0, 80))}`
    : call
}

export function refuseAt(here: string): Refuse {
  return (path, expected, given) =>
    invalidCall(here, `${path}: expected ${expected}; got ${kindOf(given)}`)
}

export function invalidCall(call: string, what: string): ConfigError {
  const done = call.startsWith('ctx.get') ? 'read' : 'written'
  return new ConfigError(`${call}: ${what}. Nothing was ${done}.`)
}

export function toFields(value: unknown): Fields | undefined {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return undefined
  return Object.fromEntries(Object.entries(value))
}
