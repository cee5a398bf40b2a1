import { validateKey } from '../validateWrite.ts'
import type { Item, StoreKey, ReadOutcome, Update, WriteOutcome } from '../store.ts'
import { addressOf } from '../wire/key.ts'
import { applyUpdate } from './applyUpdate.ts'
import { copyItem } from './copy.ts'
import { validateOwnItem } from './validateOwn.ts'
import { asStoredItem } from './stored.ts'

/** The framework's own table. */
export interface OwnItems {
  create(item: Item & StoreKey): WriteOutcome
  update(change: Update): WriteOutcome
  read(key: StoreKey): ReadOutcome
  /** The outcome that `update` would have. */
  judge(change: Update): WriteOutcome
  /** All items, in the order of creation. */
  all(): readonly Item[]
}

export function openOwnItems(): OwnItems {
  const items = new Map<string, Item>()
  const seen = (key: StoreKey): Item | undefined => {
    const item = items.get(addressOf(key))
    return item && copyItem(item)
  }
  const judge = (change: Update): WriteOutcome =>
    applyUpdate(items.get(addressOf(change.key)), change)
  return {
    judge,
    create(given) {
      const wrong = validateOwnItem(given)
      const standing = wrong === undefined ? seen(given) : undefined
      if (standing !== undefined) return { kind: 'refused', item: standing }
      const item = wrong ?? asStoredItem(given)
      if (item instanceof Error) return { kind: 'failed', error: item }
      items.set(addressOf(given), item)
      return { kind: 'applied', item: seen(given) }
    },
    update(change) {
      const outcome = judge(change)
      if (outcome.kind === 'failed') return outcome
      if (outcome.kind === 'applied' && outcome.item !== undefined) {
        items.set(addressOf(change.key), outcome.item)
      }
      return { kind: outcome.kind, item: seen(change.key) }
    },
    read(key) {
      const error = validateKey(key)
      return error === undefined ? { kind: 'found', item: seen(key) } : { kind: 'failed', error }
    },
    all: () => [...items.values()].map(copyItem),
  }
}
