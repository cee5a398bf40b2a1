import { damaged } from '../../protocol/store/format.ts'
import { type Item, outcomeOrThrow, type Store, type StoreKey } from '../../protocol/store/store.ts'

/**
 * One consistent read of one item, which needs `dynamodb:GetItem` alone.
 * @throws StoreUnavailableError when there is no answer, or an item of a version that is not known
 */
export async function readOne(store: Store, key: StoreKey): Promise<Item | undefined> {
  // @protects a status is not a second old
  // @without {}
  const how = { consistent: true }
  return outcomeOrThrow(await store.read([key], how)).item
}

/** @throws StoreUnavailableError: there is an item, so the request is not unknown */
export function readable<Read>(item: Item, read: Read | undefined): Read {
  // @protects an item that cannot be read is an error, and no request that was never seen
  // @without false
  if (read === undefined) throw damaged(item).error
  return read
}
