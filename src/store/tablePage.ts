import type { Condition, Item, StoreKey } from './store.ts'

/** Asks for one page of the whole table. */
export interface PageQuery {
  readonly where: Condition
  /** The `next` of the previous page. */
  readonly after: StoreKey | undefined
}

/** Items for which the condition holds, in no order. They may be a second old. */
export interface ScannedPage {
  readonly items: readonly Item[]
  readonly looked: number
  readonly readUnits: number
  /** undefined: it was the last page. */
  readonly next: StoreKey | undefined
}
