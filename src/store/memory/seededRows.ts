import { ConfigError, messageOf, type TerminalError } from '../../base/errors.ts'
import { isObject, isPlain, kindOf } from '../../base/kindOf.ts'
import type { UserItem } from '../store.ts'
import { canonical } from '../value.ts'
import type { DeclaredTables } from './declaredTables.ts'
import { asStoredUserItem } from './stored.ts'
import { validateUserWrites } from './validateUser.ts'

/** @throws ConfigError on a row that its table could not hold */
export function seededRows(given: unknown, declared: DeclaredTables): Map<string, UserItem[]> {
  if (!isObject(given)) throw wrong('rows', 'an object with a list of rows for each table', given)
  return new Map(
    Object.entries(given).map(([table, rows]) => {
      const name = `rows.${table}`
      if (!Array.isArray(rows)) throw wrong(name, 'a list of rows', rows)
      return [table, rows.map((row, at) => readRow(table, row, `${name}[${at}]`, declared))]
    }),
  )
}

function readRow(table: string, row: unknown, name: string, declared: DeclaredTables): UserItem {
  if (!isObject(row) || !isPlain(row)) throw wrong(name, 'a plain object', row)
  try {
    const item = asStoredUserItem(row as UserItem, table)
    const refused = item instanceof Error ? item : wrongKeyOf(table, item, declared)
    if (refused !== undefined) throw refused
    return item as UserItem
  } catch (error) {
    throw new ConfigError(`memoryStore: ${name}: ${messageOf(error)}`, { cause: error })
  }
}

function wrongKeyOf(
  TableName: string,
  put: UserItem,
  declared: DeclaredTables,
): TerminalError | undefined {
  const keys = declared.keysOf(TableName)
  if (keys === undefined) return undefined
  const own = keys.key.map(({ name }) => name).filter((name) => Object.hasOwn(put, name))
  const Key = own.length === keys.key.length ? keyIn(put, own) : put
  return validateUserWrites([{ TableName, Key, put, where: [] }], declared.keysOf)
}

/**
 * The rows by their keys. Only a read or write of an undeclared table says which attributes are its key.
 * @throws ConfigError when a row has no such key, or two rows have the same
 */
export function byKey(
  table: string,
  rows: readonly UserItem[],
  names: readonly string[],
): Map<string, UserItem> {
  const placed = new Map<string, UserItem>()
  for (const row of rows) {
    const missing = names.find((name) => !Object.hasOwn(row, name))
    if (missing !== undefined) throw wrong(`rows.${table}`, `rows with the key "${missing}"`, row)
    const address = canonical(keyIn(row, names))
    if (placed.has(address)) throw wrong(`rows.${table}`, 'rows with different keys', row)
    placed.set(address, row)
  }
  return placed
}

function keyIn(row: UserItem, names: readonly string[]): UserItem {
  return Object.fromEntries(Object.entries(row).filter(([name]) => names.includes(name)))
}

function wrong(option: string, expected: string, got: unknown): ConfigError {
  return new ConfigError(`memoryStore: ${option}: expected ${expected}; got ${kindOf(got)}`)
}
