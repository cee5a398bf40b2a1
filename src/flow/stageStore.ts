import { coalesce } from '../batch/coalesce.ts'
import type { Upsert } from '../stage/parked.ts'
import type { Item, Key, ReadOutcome, Store, Update, WriteOutcome } from '../store/store.ts'

/** The store, one entry at a time: what is asked for in the same turn goes out in plural calls. */
export interface StageStore {
  create(item: Item & Key): Promise<WriteOutcome>
  update(update: Update): Promise<WriteOutcome>
  /** Sees every write that was answered before. */
  read(key: Key): Promise<ReadOutcome>
  /** Whatever stands there is as good or better. */
  upsert(upsert: Upsert): Promise<WriteOutcome>
}

const ENTRIES = 100

export function stageStore(store: Store): StageStore {
  const now = { most: ENTRIES, wait: 0, expectsMore: (): boolean => false }
  const create = coalesce((items: readonly (Item & Key)[]) => store.create(items), now)
  const update = coalesce((updates: readonly Update[]) => store.update(updates), now)
  const read = coalesce((keys: readonly Key[]) => readDistinct(store, keys), now)
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

/** One call may not name a key twice. */
async function readDistinct(store: Store, keys: readonly Key[]): Promise<readonly ReadOutcome[]> {
  const addresses = keys.map(({ pk, sk }) => JSON.stringify([pk, sk]))
  const distinct = new Map(keys.map((key, index) => [addresses[index], key]))
  const outcomes = await store.read([...distinct.values()], { consistent: true })
  const found = new Map([...distinct.keys()].map((address, index) => [address, outcomes[index]]))
  const none: ReadOutcome = { kind: 'failed', error: new Error('the store gave no outcome') }
  return addresses.map((address) => found.get(address) ?? none)
}
