import type { TerminalError } from '../base/errors.ts'
import { partitionKeyBytes, sortKeyBytes } from '../base/limits/dynamodb.ts'
import { wrongKeyText } from '../base/limits/wrongAction.ts'
import type { Creation, StoreKey, Update } from './store.ts'
import { invalidWrite } from './invalidWrite.ts'

/**
 * Checks what would fail the whole call that one bad entry shares with others, and what a batched statement would accept although
 * it is wrong. DynamoDB refuses everything else itself, entry by entry.
 */
export function validateKey({ pk, sk }: StoreKey): TerminalError | undefined {
  const wrong = wrongKeyText('pk', pk, partitionKeyBytes) ?? wrongKeyText('sk', sk, sortKeyBytes)
  return invalidWrite(wrong)
}

export function validateUpdate({
  key,
  set = {},
  remove = [],
  addTo,
}: Update): TerminalError | undefined {
  const added = addTo === undefined ? [] : [addTo.field]
  const changed = Object.keys(set).concat(remove, added)
  return validateKey(key) ?? invalidWrite(wrongNames(changed, ['pk', 'sk']))
}

export function validateClaim(claim: Update | Creation): TerminalError | undefined {
  return 'create' in claim ? validateKey(claim.create) : validateUpdate(claim)
}

/** Finds an attribute that is named twice, belongs to the key, or could not be read back. */
export function wrongNames(changed: readonly string[], key: readonly string[]): string | undefined {
  const named = new Set(key)
  for (const name of changed) {
    const what = key.includes(name) ? IS_KEY : name === '__proto__' ? IS_LOST : IS_TWICE
    if (named.has(name) || what === IS_LOST) return `attribute ${JSON.stringify(name)} ${what}`
    named.add(name)
  }
  return undefined
}

const IS_KEY = 'belongs to the key and cannot be changed'
const IS_TWICE = 'is changed twice in one write'
/** The deserializer of the SDK (3.1162.0) returns `undefined` for that name at the top of an item; inside a map it is kept. */
const IS_LOST = 'would be lost by the AWS SDK when it is read'
