// @acts

import { coalesce } from '../store/coalesce.ts'
import type {
  Creation,
  Item,
  ReadOutcome,
  Store,
  StoreKey,
  Update,
  WriteOutcome,
} from '../store/store.ts'

/** The store, one entry at a time. Entries of one turn of the event loop are sent together in plural calls. */
export interface ItemStore {
  create(item: Item & StoreKey): Promise<WriteOutcome>
  update(update: Update): Promise<WriteOutcome>
  /** Strongly consistent: shows every write that was acknowledged before. */
  read(key: StoreKey): Promise<ReadOutcome>
  /** Half as expensive; may be a second old. */
  look(key: StoreKey): Promise<ReadOutcome>
  upsert(upsert: Upsert): Promise<WriteOutcome>
  /** Both or none. Refused only by the update: an item that is there already stays as it is. */
  updateBeside(update: Update, creation: Creation): Promise<WriteOutcome>
}

/**
 * Tries `create` first, and `update` when the item exists already. When the update is refused too, the existing item is newer and
 * stays.
 */
export interface Upsert {
  readonly create: Item & StoreKey
  readonly update: Update
}

/** The most entries in one plural call of the store. */
const MAX_ENTRIES = 100

export function itemStore(store: Store): ItemStore {
  const now = { maxEntries: MAX_ENTRIES, maxWait: 0, expectsMore: (): boolean => false }
  const create = coalesce((items: readonly (Item & StoreKey)[]) => store.create(items), now)
  const update = coalesce((updates: readonly Update[]) => store.update(updates), now)
  const read = coalesce((keys: readonly StoreKey[]) => store.read(keys, { consistent: true }), now)
  return {
    create,
    update,
    read,
    look: coalesce((keys: readonly StoreKey[]) => store.read(keys), now),
    async upsert(upsert) {
      const created = await create(upsert.create)
      return created.kind === 'refused' ? update(upsert.update) : created
    },
    async updateBeside(change, creation) {
      const outcome = await store.transact(change, [creation])
      if (outcome.kind === 'applied') return { ...outcome, item: undefined }
      if (outcome.kind !== 'refused') return outcome
      // @protects an item that is there already does not keep a run from its end
      // @without { kind: 'refused', item: undefined } @tests test/claim/stage/endReport
      return outcome.by === 'write' ? update(change) : outcome
    },
  }
}
