import type { UserItem, UserKey } from '../store/store.ts'
import type { Guard } from './guard.ts'

interface Target extends UserKey {
  readonly guard?: Guard
}

/** Replaces the item at `Key` by `Key` and `put`. */
export interface PutWrite extends Target {
  readonly put: UserItem
}

/** Sets and removes attributes; creates the item when it is not there. Running it twice changes nothing. */
export interface UpdateWrite extends Target {
  readonly set?: UserItem
  readonly remove?: readonly string[]
}

/** As UpdateWrite, and adds to numbers. Running it twice adds twice, so only `applyOnce` takes it. */
export interface AddingWrite extends UpdateWrite {
  readonly add?: Readonly<Record<string, number>>
}

export type DeleteWrite = Target

export type Write = PutWrite | AddingWrite | (Target & { readonly delete: true })

/** `stale`: the item is newer than this request. `changed`: it is not what `unchanged` expected. */
export type Written =
  | { readonly applied: true }
  | { readonly applied: false; readonly reason: 'stale' | 'changed' }
