import { type TerminalError, ConfigError, RetryableError, messageOf } from '../../../base/errors.ts'
import type { UserItem, UserKey, UserWrite } from '../../../protocol/store/store.ts'
import { canonical } from '../../../protocol/store/value.ts'
import {
  applyUserWrite,
  type UserOutcome,
  validateUserKey,
  validateUserWrites,
} from './userWrite.ts'
import { copyUserItem, asStoredKey, asStoredUserItem } from './stored.ts'
import {
  type DeclaredTable,
  keysOf as keysIn,
  type TableKeys,
} from '../../../base/limits/wrongAction.ts'
import { isObject, isPlain, kindOf } from '../../../base/kindOf.ts'

export interface UserTables {
  /**
   * Completes the key of a write. A put is addressed by its item: names in its `Key` beyond the table's key are attributes.
   * @throws RetryableError when the table does not exist
   */
  keyed(write: UserWrite): UserWrite
  validate(writes: readonly UserWrite[]): TerminalError | undefined
  /** The outcome that a valid write would have. */
  judge(write: UserWrite): UserOutcome
  keep(write: UserWrite, item: UserItem | undefined): void
  /** @throws TerminalError, RetryableError */
  read(key: UserKey): UserItem | undefined
  all(tableName: string): readonly UserItem[]
}

/** @throws ConfigError on a table without a key, or a row that its table could not hold */
export function openUserTables(
  declared: Readonly<Record<string, DeclaredTable>> | undefined,
  rows: unknown,
): UserTables {
  const keysOf = declaredTables(declared)
  const tables = new Map<string, Map<string, UserItem>>()
  const seeded = seededRows(rows, keysOf)
  const tableOf = ({ TableName, Key }: UserKey): Map<string, UserItem> => {
    const table =
      tables.get(TableName) ?? byKey(TableName, seeded.get(TableName) ?? [], Object.keys(Key))
    tables.set(TableName, table)
    return table
  }
  const itemAt = (key: UserKey): UserItem | undefined => tableOf(key).get(userAddressOf(key))
  return {
    keyed(write) {
      const keys = keysOf(write.TableName)
      if (keys === undefined || !('put' in write)) return write
      const put = { ...write.put, ...write.Key }
      const names = new Set(keys.key.map(({ name }) => name))
      const parts = Object.entries(put).filter(([name]) => names.has(name))
      const isWhole = parts.length === names.size
      return { ...write, put, Key: isWhole ? Object.fromEntries(parts) : write.Key }
    },
    validate: (writes) => validateUserWrites(writes, keysOf),
    judge: (write) => applyUserWrite(itemAt(write), write),
    keep(write, item) {
      const table = tableOf(write)
      if (item === undefined) table.delete(userAddressOf(write))
      else table.set(userAddressOf(write), item)
    },
    read(key) {
      const invalid = validateUserKey(key, keysOf(key.TableName))
      if (invalid !== undefined) throw invalid
      const item = itemAt(key)
      return item && copyUserItem(item)
    },
    all(tableName) {
      const rows = tables.get(tableName)?.values() ?? seeded.get(tableName) ?? []
      return [...rows].map(copyUserItem)
    },
  }
}

/** The same text for equal keys, whatever the order of their names. */
export function userAddressOf({ TableName, Key }: UserKey): string {
  return canonical(asStoredKey(Key, TableName))
}

/**
 * Gives the keys of a table; undefined when no tables are declared.
 * @throws RetryableError when tables are declared and this is not one of them
 */
type KeysOf = (table: string) => TableKeys | undefined

/** @throws ConfigError on a table without a key. */
function declaredTables(tables: Readonly<Record<string, DeclaredTable>> | undefined): KeysOf {
  if (tables === undefined) return () => undefined
  const declared = new Map(Object.entries(tables).map(([name, table]) => [name, read(name, table)]))
  return (table) => {
    const keys = declared.get(table)
    if (keys !== undefined) return keys
    throw new RetryableError(
      `The table ${JSON.stringify(table)} does not exist: memoryStore({ tables }) declares ` +
        `${[...declared.keys()].join(', ') || 'none'}. Nothing was written.`,
    )
  }
}

function read(name: string, table: DeclaredTable): TableKeys {
  const keys = keysIn(table)
  const isWhole = keys.key.every((part) => typeof part.name === 'string' && part.name !== '')
  if (keys.key.length > 0 && isWhole) return keys
  throw new ConfigError(
    `memoryStore: tables.${name}: expected { hash, range? } or what CreateTable takes, with a KeySchema`,
  )
}

/** @throws ConfigError on a row that its table could not hold */
function seededRows(given: unknown, keysOf: KeysOf): Map<string, UserItem[]> {
  if (!isObject(given)) throw wrong('rows', 'an object with a list of rows for each table', given)
  return new Map(
    Object.entries(given).map(([table, rows]) => {
      const name = `rows.${table}`
      if (!Array.isArray(rows)) throw wrong(name, 'a list of rows', rows)
      return [table, rows.map((row, at) => readRow(table, row, `${name}[${at}]`, keysOf))]
    }),
  )
}

function readRow(table: string, row: unknown, name: string, keysOf: KeysOf): UserItem {
  if (!isObject(row) || !isPlain(row)) throw wrong(name, 'a plain object', row)
  try {
    const item = asStoredUserItem(row as UserItem, table)
    const refused = item instanceof Error ? item : wrongKeyOf(table, item, keysOf)
    if (refused !== undefined) throw refused
    return item as UserItem
  } catch (error) {
    throw new ConfigError(`memoryStore: ${name}: ${messageOf(error)}`, { cause: error })
  }
}

function wrongKeyOf(TableName: string, put: UserItem, keysOf: KeysOf): TerminalError | undefined {
  const keys = keysOf(TableName)
  if (keys === undefined) return undefined
  const own = keys.key.map(({ name }) => name).filter((name) => Object.hasOwn(put, name))
  const Key = own.length === keys.key.length ? keyIn(put, own) : put
  return validateUserWrites([{ TableName, Key, put, where: [] }], keysOf)
}

/**
 * The rows by their keys. Only a read or write of an undeclared table says which attributes are its key.
 * @throws ConfigError when a row has no such key, or two rows have the same
 */
function byKey(
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
