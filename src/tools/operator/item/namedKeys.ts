// @acts

import { hashParts } from '../../../library/entries/call/canonical.ts'
import type { StoreKey } from '../../../library/protocol/store/store.ts'
import { possibleKeys } from '../text/itemId.ts'

/** As `possibleKeys`; `payments/checkout-71` also names the idempotency key that is stored as a hash, which is the default. */
export function namedKeys(id: string): readonly StoreKey[] {
  const slash = id.indexOf('/')
  const hasKey = slash > 0 && slash < id.length - 1 && !id.slice(0, slash).includes('#')
  return hasKey
    ? [
        ...possibleKeys(id),
        { pk: `key#${id.slice(0, slash)}/${hashedKey(id.slice(slash + 1))}`, sk: 'token' },
      ]
    : possibleKeys(id)
}

/** An idempotency key as it is stored without the option `hash: 'plain'`. */
export function hashedKey(key: string): string {
  return hashParts([key])
}
