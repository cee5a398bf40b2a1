import type { TerminalError } from '../../base/errors.ts'
import { wrongIndexKeys } from '../../base/limits/wrongAction.ts'
import { wrongItem } from '../../base/limits/wrongValue.ts'
import { validateUpdate, validateKey } from '../validateWrite.ts'
import type { Creation, Item, StoreKey, Update } from '../store.ts'
import { orTerminalError, invalidWrite } from '../invalidWrite.ts'
import { toAttributeMap } from '../wire/attributes.ts'
import { OWN_KEYS } from './ownKeys.ts'

/** Checks what DynamoDB refuses before it looks at the item. */
export function validateOwnItem(item: Item & StoreKey): TerminalError | undefined {
  return validateKey(item) ?? validateOwnValues(item)
}

export function validateOwnUpdate(update: Update): TerminalError | undefined {
  return validateUpdate(update) ?? validateOwnValues(update.set ?? {})
}

export function validateOwnClaim(claim: Update | Creation): TerminalError | undefined {
  return 'create' in claim ? validateOwnItem(claim.create) : validateOwnUpdate(claim)
}

function validateOwnValues(item: Item): TerminalError | undefined {
  return orTerminalError(() => {
    const attributes = toAttributeMap(item)
    return invalidWrite(wrongIndexKeys(OWN_KEYS, attributes) ?? wrongItem(attributes))
  })
}
