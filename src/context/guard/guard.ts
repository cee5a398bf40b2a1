import type { UserValue } from '../../store/store.ts'

/** Values that DynamoDB orders: numbers by size, texts and bytes by their bytes. Two types have no order. */
export type OrderedValue = string | number | bigint | Uint8Array

/** A guard that changes nothing on the item. */
export type StateGuard =
  | { readonly kind: 'unchanged'; readonly field: string; readonly value: UserValue | undefined }
  | { readonly kind: 'exists' | 'absent'; readonly field: string | undefined }
  | { readonly kind: 'equals' | 'contains'; readonly field: string; readonly value: UserValue }
  | { readonly kind: 'atLeast' | 'atMost'; readonly field: string; readonly value: OrderedValue }
  | { readonly kind: 'anyOf'; readonly guards: readonly StateGuard[] }

/** When a write may take place. Data: the same guard becomes a DynamoDB condition and a check on the memory store. */
export type Guard =
  | StateGuard
  | { readonly kind: 'newerThan'; readonly field: string; readonly at: number }
  | { readonly kind: 'allOf'; readonly guards: readonly Guard[] }

/**
 * The write happens only if this request is newer than what `field` holds: last writer wins by sending time, whatever
 * the order of arrival. `at` is epoch milliseconds, as `ctx.sentAt`; it is written to `field`, and the request's id to
 * `<field>_uniquerequestid`, so that two requests of one millisecond are ordered and a winner's own re-run goes on.
 * Older: the write is not applied, with reason `stale`. A time more than 5 minutes ahead is refused (TerminalError):
 * one wrong clock would shut out everybody else. For data that add up use `ctx.applyOnce`: the older of two increments
 * is not stale. A deleted item forgets its version: mark it deleted instead of `ctx.delete` where older writes may
 * still come.
 * @example
 * await ctx.update({ TableName, Key: { orderId }, set: { address }, guard: newerThan('movedAt', ctx.sentAt) })
 */
export function newerThan(field: string, at: number): Guard {
  return { kind: 'newerThan', field, at }
}

/** The write happens only if `field` still holds `value`; `undefined`: is still absent. Else the reason is `changed`. */
export function unchanged(field: string, value: UserValue | undefined): StateGuard {
  return { kind: 'unchanged', field, value }
}

/**
 * The item has the attribute `field`, whatever its value; without `field`: there is an item. An update without a guard
 * creates the item that it does not find.
 * @example
 * await ctx.update({ TableName, Key: { orderId }, set: { status: 'paid' }, guard: exists() })
 */
export function exists(field?: string): StateGuard {
  return { kind: 'exists', field }
}

/** The item has no attribute `field`; without `field`: there is no item, so that a put never replaces one. */
export function absent(field?: string): StateGuard {
  return { kind: 'absent', field }
}

/** `field` is there and holds `value`: same type, and the same content in lists, maps and sets. */
export function equals(field: string, value: UserValue): StateGuard {
  return { kind: 'equals', field, value }
}

/**
 * `field` is there and holds `value` or more. Numbers and texts have no order between them: then it does not hold.
 * @example
 * const sale = { TableName, Key: { sku }, add: { available: -2 }, guard: atLeast('available', 2) }
 * const { applied } = await ctx.applyOnce('sell', sale)
 */
export function atLeast(field: string, value: OrderedValue): StateGuard {
  return { kind: 'atLeast', field, value }
}

/** `field` is there and holds `value` or less. */
export function atMost(field: string, value: OrderedValue): StateGuard {
  return { kind: 'atMost', field, value }
}

/** `field` is a set or list with the member `value`, or a text in which the text `value` stands. */
export function contains(field: string, value: UserValue): StateGuard {
  return { kind: 'contains', field, value }
}

/** Every one of the guards; the first that fails gives the reason. */
export function allOf(...guards: readonly Guard[]): Guard {
  return { kind: 'allOf', guards }
}

/** At least one of the guards. `newerThan` is none of them: it writes its version, whichever of the others held. */
export function anyOf(...guards: readonly StateGuard[]): StateGuard {
  return { kind: 'anyOf', guards }
}
