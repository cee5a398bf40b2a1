import type { UserItem, UserKey } from '../../store/store.ts'
import type { Guard } from './guard.ts'

export type CheckedChange =
  | { readonly kind: 'put'; readonly put: UserItem }
  | {
      readonly kind: 'update'
      readonly set: UserItem
      readonly add: Readonly<Record<string, number>> | undefined
      readonly remove: readonly string[] | undefined
    }
  | { readonly kind: 'delete' }
  | { readonly kind: 'check' }

/** A checked write: its kind is known, and its values can be stored. */
export type CheckedWrite = UserKey & { readonly guard: Guard | undefined } & CheckedChange
