// @acts

import { hashParts } from '../../../library/entries/call/canonical.ts'
import { storedKey } from '../../../library/entries/flow/messagePosition.ts'
import { recordKey } from '../../../library/protocol/claim/stage/stageRecord.ts'
import { tokenKey } from '../../../library/protocol/claim/token/token.ts'
import { sendableId } from '../../../library/protocol/record/envelope/lineclearAttributes.ts'
import type { StoreKey } from '../../../library/protocol/store/store.ts'
import { possibleKeys } from '../text/itemId.ts'

/**
 * As `possibleKeys`, and what is stored as a hash of what a user types: an idempotency key (the default), an id that no message can
 * carry as it is, and a long key of a flow.
 */
export function namedKeys(id: string): readonly StoreKey[] {
  const slash = id.indexOf('/')
  const hasKey = slash > 0 && slash < id.length - 1 && !id.slice(0, slash).includes('#')
  if (!hasKey) return possibleKeys(id)
  const [owner, rest] = [id.slice(0, slash), id.slice(slash + 1)]
  const sent = sendableId(rest)
  const key = storedKey(rest)
  return [
    ...possibleKeys(id),
    ...(sent === rest ? [] : [tokenKey(owner, sent)]),
    ...(key === rest ? [] : [recordKey(owner, key)]),
    { pk: `key#${owner}/${hashedKey(rest)}`, sk: 'token' },
  ]
}

/** The id as a user types it, and as messages and the table have it. */
export function formsOfId(id: string): readonly string[] {
  return [...new Set([id, sendableId(id)])]
}

/** An idempotency key as it is stored without the option `hash: 'plain'`. */
export function hashedKey(key: string): string {
  return hashParts([key])
}
