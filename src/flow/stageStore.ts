import { coalesce } from '../batch/coalesce.ts'
import type { Upsert } from '../claim/stage/deadRun.ts'
import type { Item, StoreKey, ReadOutcome, Store, Update, WriteOutcome } from '../store/store.ts'

/** The store, one entry at a time: what is asked for in the same turn goes out in plural calls. */
export interface StageStore {
  create(item: Item & StoreKey): Promise<WriteOutcome>
  update(update: Update): Promise<WriteOutcome>
  /** Sees every write that was answered before. */
  read(key: StoreKey): Promise<ReadOutcome>
  /** Whatever stands there is as good or better. */
  upsert(upsert: Upsert): Promise<WriteOutcome>
}

const ENTRIES = 100

export function stageStore(store: Store): StageStore {
  const now = { maxEntries: ENTRIES, maxWait: 0, expectsMore: (): boolean => false }
  const create = coalesce((items: readonly (Item & StoreKey)[]) => store.create(items), now)
  const update = coalesce((updates: readonly Update[]) => store.update(updates), now)
  const read = coalesce((keys: readonly StoreKey[]) => store.read(keys, { consistent: true }), now)
  return {
    create,
    update,
    read,
    async upsert(upsert) {
      const created = await create(upsert.create)
      return created.kind === 'refused' ? update(upsert.update) : created
    },
  }
}
