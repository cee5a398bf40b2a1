import type { Creation, StoreKey, Update } from '../store.ts'
import type { AttributeMap } from './attributes.ts'

export function keyAttributes({ pk, sk }: StoreKey): AttributeMap {
  return { pk: { S: pk }, sk: { S: sk } }
}

/** The key of the item that a transaction claims. */
export function claimedKey(claim: Update | Creation): StoreKey {
  return 'create' in claim ? claim.create : claim.key
}

/** A different text for each key: the length distinguishes ('a', 'bc') from ('ab', 'c'). */
export function addressOf({ pk, sk }: StoreKey): string {
  return `${pk.length}:${pk}${sk}`
}

export function addressIn({ pk, sk }: AttributeMap): string {
  return addressOf({ pk: pk?.S ?? '', sk: sk?.S ?? '' })
}
