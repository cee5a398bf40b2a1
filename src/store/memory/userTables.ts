import type { TerminalError } from '../../errors.ts'
import type { UserItem, UserKey, UserWrite } from '../store.ts'
import { canonical } from '../value.ts'
import { applyUserWrite, type UserOutcome } from './applyUserWrite.ts'
import { copyUserItem } from './copy.ts'
import type { DeclaredTables } from './declaredTables.ts'
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

export function openUserTables(declared: DeclaredTables): UserTables {
  const tables = new Map<string, Map<string, UserItem>>()
  const itemAt = (key: UserKey): UserItem | undefined =>
    tables.get(key.TableName)?.get(userAddressOf(key))
  return {
    keyed(write) {
      const keys = declared.keysOf(write.TableName)
      if (keys === undefined || !('put' in write)) return write
      const put = { ...write.put, ...write.Key }
      const names = new Set(keys.key.map(({ name }) => name))
      const parts = Object.entries(put).filter(([name]) => names.has(name))
      return { ...write, put, Key: Object.fromEntries(parts) }
    },
    validate: (writes) => validateUserWrites(writes, declared.keysOf),
    judge: (write) => applyUserWrite(itemAt(write), write),
    keep(write, item) {
      const table = tables.get(write.TableName) ?? new Map<string, UserItem>()
      tables.set(write.TableName, table)
      if (item === undefined) table.delete(userAddressOf(write))
      else table.set(userAddressOf(write), item)
    },
    read(key) {
      const invalid = validateUserKey(key, declared.keysOf(key.TableName))
      if (invalid !== undefined) throw invalid
      return copied(itemAt(key))
    },
    all: (tableName) => [...(tables.get(tableName)?.values() ?? [])].map(copyUserItem),
  }
}

/** The same text for equal keys, whatever the order of their names. */
export function userAddressOf({ TableName, Key }: UserKey): string {
  return canonical(asStoredKey(Key, TableName))
}

function copied(item: UserItem | undefined): UserItem | undefined {
  return item && copyUserItem(item)
}
