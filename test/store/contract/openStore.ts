import type { Store } from '../../../src/library/protocol/store/store.ts'

export interface OpenStore {
  readonly store: Store
  /** An empty table of a user's, with the string key `id`. */
  readonly userTable: string
  /** Another, with the string key `order` and the number `line` to sort by. */
  readonly lines: string
}
