import type { Item, StoreKey } from '../store/store.ts'

const KINDS = { lock: 'token', key: 'token', flow: 'stage', once: 'once' } as const
const FULL = /^(lock|key|flow|once|await)#/s

/** `lock#orders/r1` is shown, and asked for, as `orders/r1`. */
export function displayId(pk: string): string {
  return pk.replace(FULL, '')
}

/**
 * What `orders/r1` may stand for: the token of a request, that of a key, the record of a flow, an event that is taken once. With its
 * prefix (`lock#orders/r1`) it is one of them.
 */
export function possibleKeys(id: string): readonly StoreKey[] {
  const kinds = Object.entries(KINDS)
  const full = kinds.find(([kind]) => id.startsWith(`${kind}#`))
  return full === undefined
    ? kinds.map(([kind, sk]) => ({ pk: `${kind}#${id}`, sk }))
    : [{ pk: id, sk: full[1] }]
}

/** Consumer, scope or flow, and what it works on. */
export function splitId(pk: string): { readonly owner: string; readonly rest: string } {
  const [, owner = '', rest = ''] = /^([^/]*)\/?(.*)$/s.exec(displayId(pk)) ?? []
  return { owner, rest }
}

export function itemKey(item: Item): StoreKey {
  const { pk, sk } = item
  return { pk: typeof pk === 'string' ? pk : '', sk: typeof sk === 'string' ? sk : '' }
}

/** Of a lock token or an idempotency key, whose section runs as a whole; else of a request, whose effects have marks of their own. */
export function isIdempotencyKey(pk: string): boolean {
  return pk.startsWith('key#')
}
