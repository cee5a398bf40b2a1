import { delayedKey, isDelayedKey } from '../../../library/protocol/claim/delayed/delayedRow.ts'
import type { StoreKey } from '../../../library/protocol/store/store.ts'

const KINDS = { lock: 'token', key: 'token', flow: 'stage', once: 'once' } as const
const FULL = /^(lock|key|flow|once|await)#/s
const DELAYED = 'later/'

/** The form that operators see and type: `orders/r1` for `lock#orders/r1`, `later/ID` for a delayed message. */
export function displayId(pk: string): string {
  return isDelayedKey(pk) ? pk.replace('#', '/') : pk.replace(FULL, '')
}

/**
 * The items that `orders/r1` can name: the token of a request, the token of a key, the record of a flow, a once-forever event.
 * With its prefix (`lock#orders/r1`) it names exactly one of them. `later/ID` also names a delayed message.
 */
export function possibleKeys(id: string): readonly StoreKey[] {
  if (isDelayedKey(id)) return [{ pk: id, sk: 'later' }]
  const kinds = Object.entries(KINDS)
  const full = kinds.find(([kind]) => id.startsWith(`${kind}#`))
  return full === undefined
    ? [...delayedKeys(id), ...kinds.map(([kind, sk]) => ({ pk: `${kind}#${id}`, sk }))]
    : [{ pk: id, sk: full[1] }]
}

function delayedKeys(id: string): readonly StoreKey[] {
  return id.startsWith(DELAYED) ? [delayedKey(id.slice(DELAYED.length))] : []
}

/** Splits a key into the consumer, key name or flow, and its own part. */
export function splitId(pk: string): { readonly owner: string; readonly rest: string } {
  const [, owner = '', rest = ''] = /^([^/]*)\/?(.*)$/s.exec(displayId(pk)) ?? []
  return { owner, rest }
}
