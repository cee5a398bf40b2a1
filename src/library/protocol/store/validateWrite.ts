import { TerminalError } from '../../base/errors.ts'
import { partitionKeyBytes, sortKeyBytes } from '../../base/limits/dynamodb.ts'
import { wrongKeyText } from '../../base/limits/wrongAction.ts'
import type { Creation, StoreKey, Update } from './store.ts'
import { kindOf } from '../../base/kindOf.ts'

/**
 * Checks what would fail the whole call that one bad entry shares with others, and what a batched statement would accept although
 * it is wrong. DynamoDB refuses everything else itself, entry by entry.
 */
export function validateKey({ pk, sk }: StoreKey): TerminalError | undefined {
  // @protects one bad entry does not fail its whole call
  // @without its right
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

export const STORABLE =
  'a text, a number, a bigint, a boolean, null, a Uint8Array, a Set of texts, numbers or bytes, a list or a plain object'

/**
 * The error for a value that no attribute can hold. Types exclude such values, except NaN and infinite numbers.
 * @param path path of the attribute; '' when it has none
 * @param table the table of the attribute; undefined: the framework's
 */
export function unstorable(value: unknown, path: string, table: string | undefined): TerminalError {
  const where = table === undefined ? '' : ` of table ${table}`
  return new TerminalError(
    `Attribute ${JSON.stringify(path)}${where} cannot be stored in DynamoDB: expected ${STORABLE}, got ${kindOf(value)}. Nothing was written.`,
  )
}

/** @param table undefined: the framework's table */
export function invalidWrite(wrong: string | undefined, table?: string): TerminalError | undefined {
  if (wrong === undefined) return undefined
  const where = table === undefined ? 'the framework’s table' : `table ${table}`
  return new TerminalError(
    `DynamoDB does not take what was given for ${where}: ${wrong}. Nothing was written.`,
  )
}

/** Converts the error that a value which cannot be stored throws deep inside a conversion. */
export function orTerminalError<T>(check: () => T): T | TerminalError {
  try {
    return check()
  } catch (error) {
    if (error instanceof TerminalError) return error
    throw error
  }
}
