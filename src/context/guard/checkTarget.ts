import { ConfigError } from '../../base/errors.ts'
import { kindOf } from '../../base/kindOf.ts'
import type { UserKey } from '../../store/store.ts'
import type { Refuse } from './checkValue.ts'
import { unknownName } from '../../base/options.ts'

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
