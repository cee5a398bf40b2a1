import { holds } from '../../store/condition.ts'
import { scanPage, type PageQuery, type ScannedPage } from '../../store/dynamodb/scan.ts'
import type { Item, Store } from '../../store/store.ts'

/** Reads the whole table, page by page. */
export type ReadPage = (query: PageQuery) => Promise<ScannedPage>

/** @returns undefined: the store does not say where its items are */
export function pageReader(store: Store): ReadPage | undefined {
  const { source } = store
  if (source !== undefined) return (query) => scanPage(source, query)
  return isListed(store) ? async ({ where }) => wholeTable(store.items(), where) : undefined
}

/** `memoryStore()`. */
function isListed(store: Store): store is Store & { items(): readonly Item[] } {
  return 'items' in store && typeof store.items === 'function'
}

function wholeTable(all: readonly Item[], where: PageQuery['where']): ScannedPage {
  const items = all.filter((item) => holds(where, item))
  return { items, looked: all.length, readUnits: 0, next: undefined }
}
