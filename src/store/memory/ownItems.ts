import { hasExpired } from '../../base/limits/lifetime.ts'
import { validateKey } from '../validateWrite.ts'
import type { Creation, Item, StoreKey, ReadOutcome, Update, WriteOutcome } from '../store.ts'
import { addressOf, claimedKey } from '../wire/key.ts'
import { applyUpdate } from './applyUpdate.ts'
import { copyItem } from './copy.ts'
import { validateOwnItem } from './validateOwn.ts'
import { asStoredItem } from './stored.ts'

/** The framework's own table. */
export interface OwnItems {
  create(item: Item & StoreKey): WriteOutcome
  update(change: Update): WriteOutcome
  write(claim: Update | Creation): WriteOutcome
  read(key: StoreKey): ReadOutcome
  /** The outcome that `write` would have. */
  judge(claim: Update | Creation): WriteOutcome
  /** All items, in the order of creation. */
  all(): readonly Item[]
}

/** @param now the time at which items are deleted that have expired, epoch milliseconds. undefined: they stay */
export function openOwnItems(now?: () => number): OwnItems {
  const items = new Map<string, Item>()
  const forget = (): void => {
    if (now === undefined) return
    for (const [address, { ttl }] of items) if (hasExpired(ttl, now())) items.delete(address)
  }
  const seen = (key: StoreKey): Item | undefined => {
    const item = items.get(addressOf(key))
    return item && copyItem(item)
  }
  const judgeCreation = (given: Item & StoreKey): WriteOutcome => {
    const wrong = validateOwnItem(given)
    const standing = wrong === undefined ? seen(given) : undefined
    if (standing !== undefined) return { kind: 'refused', item: standing }
    const item = wrong ?? asStoredItem(given)
    return item instanceof Error ? { kind: 'failed', error: item } : { kind: 'applied', item }
  }
  const judge = (claim: Update | Creation): WriteOutcome => {
    forget()
    return 'create' in claim
      ? judgeCreation(claim.create)
      : applyUpdate(items.get(addressOf(claim.key)), claim)
  }
  const write = (claim: Update | Creation): WriteOutcome => {
    const key = claimedKey(claim)
    const outcome = judge(claim)
    if (outcome.kind === 'failed') return outcome
    if (outcome.kind === 'applied' && outcome.item !== undefined) {
      items.set(addressOf(key), outcome.item)
    }
    return { kind: outcome.kind, item: seen(key) }
  }
  return {
    judge,
    write,
    create: (item) => write({ create: item }),
    update: write,
    read(key) {
      forget()
      const error = validateKey(key)
      return error === undefined ? { kind: 'found', item: seen(key) } : { kind: 'failed', error }
    },
    all: () => {
      forget()
      return [...items.values()].map(copyItem)
    },
  }
}
