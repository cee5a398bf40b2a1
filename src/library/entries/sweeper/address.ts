import type { Item, StoreKey } from '../../protocol/store/store.ts'

export function itemKey(item: Item): StoreKey {
  const { pk, sk } = item
  return { pk: typeof pk === 'string' ? pk : '', sk: typeof sk === 'string' ? sk : '' }
}

/**
 * Whether it is an idempotency key. Its section runs again as a whole, whereas a request's effects are recorded one by one and
 * not repeated.
 */
export function isIdempotencyKey(pk: string): boolean {
  return pk.startsWith('key#')
}
