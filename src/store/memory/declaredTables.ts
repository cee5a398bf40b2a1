import { ConfigError, RetryableError } from '../../base/errors.ts'
import { type DeclaredTable, keysOf, type TableKeys } from '../../base/limits/wrongAction.ts'

export interface DeclaredTables {
  /**
   * @returns undefined when no tables are declared
   * @throws RetryableError when tables are declared and this is not one of them
   */
  keysOf(table: string): TableKeys | undefined
}

/** @throws ConfigError on a table without a key. */
export function declaredTables(
  tables: Readonly<Record<string, DeclaredTable>> | undefined,
): DeclaredTables {
  if (tables === undefined) return { keysOf: () => undefined }
  const declared = new Map(Object.entries(tables).map(([name, table]) => [name, read(name, table)]))
  return {
    keysOf(table) {
      const keys = declared.get(table)
      if (keys !== undefined) return keys
      throw new RetryableError(
        `The table ${JSON.stringify(table)} does not exist: memoryStore({ tables }) declares ` +
          `${[...declared.keys()].join(', ') || 'none'}. Nothing was written.`,
      )
    },
  }
}

function read(name: string, table: DeclaredTable): TableKeys {
  const keys = keysOf(table)
  const isWhole = keys.key.every((part) => typeof part.name === 'string' && part.name !== '')
  if (keys.key.length > 0 && isWhole) return keys
  throw new ConfigError(
    `memoryStore: tables.${name}: expected { hash, range? } or what CreateTable takes, with a KeySchema`,
  )
}
