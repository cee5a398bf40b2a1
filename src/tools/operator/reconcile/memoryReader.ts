import type { Item } from '../../../store/store.ts'
import type { TableReader } from '../../../store/dynamodb/dynamoDbReader.ts'

/** A store whose items can be listed: `memoryStore()`. */
export interface MemoryTable {
  /** Every item of the framework's own table. */
  items(): readonly Item[]
}

export function isTableReader(table: TableReader | MemoryTable): table is TableReader {
  return 'scan' in table
}

export function memoryReader({ items }: MemoryTable): TableReader {
  return {
    partition: async (pk) => items().filter((item) => item['pk'] === pk),
    async *scan({ prefix = '', segment, onPage } = {}) {
      // The whole table is its first segment.
      if (segment !== undefined && segment.index > 0) return
      const all = items()
      onPage?.({ looked: all.length, readUnits: 0 })
      yield all.filter(({ pk }) => typeof pk === 'string' && pk.startsWith(prefix))
    },
    count: async () => items().length,
  }
}
