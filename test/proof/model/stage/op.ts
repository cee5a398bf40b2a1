import type {
  Creation,
  Item,
  StoreKey,
  Update,
} from '../../../../src/library/protocol/store/store.ts'
import type { DeadLetter, Message } from './state.ts'

/** One call of an invocation. */
export type Op =
  | {
      readonly op: 'create'
      readonly label: string
      readonly items: readonly (Item & StoreKey)[]
      /** A stored item does not refuse it: for removals only. */
      readonly replaces?: boolean
    }
  /** `report`: of the end of a run, in the same transaction. */
  | {
      readonly op: 'update'
      readonly label: string
      readonly update: Update
      readonly report?: Creation | undefined
    }
  /** For removals only. */
  | { readonly op: 'report'; readonly label: string; readonly report: Creation }
  /** The mark and the user's write, both or neither. */
  | { readonly op: 'effect'; readonly name: string; readonly update: Update }
  /** The user's write, and nothing on the record but the check of the claim. */
  | {
      readonly op: 'read'
      readonly label: string
      readonly keys: readonly StoreKey[]
      /** It shows the item before the last write: for removals only. */
      readonly behind?: boolean
    }
  | {
      readonly op: 'send'
      readonly message: Omit<Message, 'id' | 'left' | 'holder'>
      readonly id: string
    }
  | { readonly op: 'deadLetter'; readonly deadLetter: DeadLetter }
  | { readonly op: 'call'; readonly name: string }
  | { readonly op: 'ask'; readonly externalId: string }

export type Answer =
  | { readonly kind: 'applied'; readonly item: Item | undefined }
  | { readonly kind: 'refused'; readonly item: Item | undefined }
  | { readonly kind: 'found'; readonly items: readonly (Item | undefined)[] }
  | { readonly kind: 'done' }
