import { StoreUnavailableError } from '../../base/errors.ts'
import type { Item, StoreKey, Store } from '../../store/store.ts'

/** Reads an item consistently. */
export async function loadItem(store: Store, key: StoreKey): Promise<Item | undefined> {
  const [item] = await loadItems(store, [key])
  return item
}

/** Reads items consistently, in the order of the keys. */
export async function loadItems(
  store: Store,
  keys: readonly StoreKey[],
): Promise<readonly (Item | undefined)[]> {
  const outcomes = await store.read(keys, { consistent: true })
  return outcomes.map((outcome) => {
    if (outcome.kind === 'failed') throw outcome.error
    return outcome.item
  })
}

export function unreadableItemError(what: string): StoreUnavailableError {
  return new StoreUnavailableError(
    `${what} was written by a newer version, or by hand, and cannot be read: nothing was changed. Use the version that wrote it.`,
  )
}
