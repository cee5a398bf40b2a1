import type { TerminalError } from '../../base/errors.ts'
import type { UserItem, UserKey, UserWrite } from '../store.ts'
import { canonical } from '../value.ts'
import { applyUserWrite, type UserOutcome } from './applyUserWrite.ts'
import { copyUserItem } from './copy.ts'
import type { DeclaredTables } from './declaredTables.ts'
import { byKey, seededRows } from './seededRows.ts'
import { asStoredKey } from './stored.ts'
import { validateUserKey, validateUserWrites } from './validateUser.ts'

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

/** @throws ConfigError on a row that its table could not hold */
export function openUserTables(declared: DeclaredTables, rows: unknown): UserTables {
  const tables = new Map<string, Map<string, UserItem>>()
  const seeded = seededRows(rows, declared)
  const tableOf = ({ TableName, Key }: UserKey): Map<string, UserItem> => {
    const table =
      tables.get(TableName) ?? byKey(TableName, seeded.get(TableName) ?? [], Object.keys(Key))
    tables.set(TableName, table)
    return table
  }
  const itemAt = (key: UserKey): UserItem | undefined => tableOf(key).get(userAddressOf(key))
  return {
    keyed(write) {
      const keys = declared.keysOf(write.TableName)
      if (keys === undefined || !('put' in write)) return write
      const put = { ...write.put, ...write.Key }
      const names = new Set(keys.key.map(({ name }) => name))
      const parts = Object.entries(put).filter(([name]) => names.has(name))
      const isWhole = parts.length === names.size
      return { ...write, put, Key: isWhole ? Object.fromEntries(parts) : write.Key }
    },
    validate: (writes) => validateUserWrites(writes, declared.keysOf),
    judge: (write) => applyUserWrite(itemAt(write), write),
    keep(write, item) {
      const table = tableOf(write)
      if (item === undefined) table.delete(userAddressOf(write))
      else table.set(userAddressOf(write), item)
    },
    read(key) {
      const invalid = validateUserKey(key, declared.keysOf(key.TableName))
      if (invalid !== undefined) throw invalid
      return copied(itemAt(key))
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

function copied(item: UserItem | undefined): UserItem | undefined {
  return item && copyUserItem(item)
}
