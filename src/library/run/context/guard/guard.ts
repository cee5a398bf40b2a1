import type { UserValue } from '../../../protocol/store/store.ts'

/** Values that DynamoDB orders: numbers by size, texts and bytes by their bytes. Two types have no order. */
type OrderedValue = string | number | bigint | Uint8Array

/** A guard that writes nothing to the item: every one but `newerThan`. */
export type StateGuard =
  | { readonly kind: 'unchanged'; readonly field: string; readonly value: UserValue | undefined }
  | { readonly kind: 'exists' | 'absent'; readonly field: string | undefined }
  | { readonly kind: 'equals'; readonly field: string; readonly value: UserValue }
  | { readonly kind: 'atLeast' | 'atMost'; readonly field: string; readonly value: OrderedValue }
  | { readonly kind: 'anyOf'; readonly guards: readonly StateGuard[] }

/** When a write may take place. It is data: the same guard becomes a DynamoDB condition and a check in the memory store. */
export type Guard =
  | StateGuard
  | { readonly kind: 'newerThan'; readonly field: string; readonly at: number }

/** One guard, or several that must all hold: the first that does not gives the reason. */
export type Guards = Guard | readonly Guard[]

export function guardsIn(given: Guards | undefined): readonly Guard[] {
  if (given === undefined) return []
  return 'kind' in given ? [given] : given
}

/**
 * The write happens only if this request is newer than what `field` holds: last writer wins by sending time, whatever
 * the order of arrival. `at` is epoch milliseconds, as `ctx.sentAt`; it is written to `field`, and the request's id to
 * `<field>_uniquerequestid`, so that two requests of one millisecond are ordered and the next attempt of the same request
 * may write again. Otherwise the write is not applied, with reason `stale`. A time more than 5 minutes ahead of this
 * machine's clock is a TerminalError: it would shut out every later request. For sums use `ctx.write`: the older of two
 * increments is not stale. A deleted item loses its version: where older writes may still come, mark the item as deleted
 * instead of deleting it.
 * @example
 * const guard = newerThan('movedAt', ctx.sentAt)
 * await ctx.write('address', { TableName, Key: { orderId }, set: { address }, guard })
 */
export function newerThan(field: string, at: number): Guard {
  return { kind: 'newerThan', field, at }
}

/**
 * The write happens only if `field` still holds `value`; `undefined`: is still absent. Otherwise the reason is `changed`.
 * @example
 * const row = await ctx.get({ TableName, Key: { orderId } })
 * const guard = unchanged('version', row?.['version'])
 * await ctx.write('address', { TableName, Key: { orderId }, set: { address }, guard })
 */
export function unchanged(field: string, value: UserValue | undefined): StateGuard {
  return { kind: 'unchanged', field, value }
}

/**
 * The item has the attribute `field`, whatever its value; without `field`: there is an item. `set` and `add` without a
 * guard create the item that they do not find.
 * @example
 * await ctx.write('paid', { TableName, Key: { orderId }, set: { status: 'paid' }, guard: exists() })
 */
export function exists(field?: string): StateGuard {
  return { kind: 'exists', field }
}

/**
 * The item has no attribute `field`; without `field`: there is no item, so that a put never replaces one.
 * @example await ctx.write('order', { TableName, Key: { orderId }, put: { status: 'new' }, guard: absent() })
 */
export function absent(field?: string): StateGuard {
  return { kind: 'absent', field }
}

/**
 * `field` is there and holds `value`: same type, and the same content in lists, maps and sets.
 * @example
 * const guard = equals('status', 'abandoned')
 * await ctx.write('drop', { TableName, Key: { cartId }, delete: true, guard })
 */
export function equals(field: string, value: UserValue): StateGuard {
  return { kind: 'equals', field, value }
}

/**
 * `field` is there and holds `value` or more. A number and a text cannot be compared: then the guard does not hold.
 * @example
 * const sale = { TableName, Key: { sku }, add: { available: -2 }, guard: atLeast('available', 2) }
 * const { applied } = await ctx.write('sell', sale)
 */
export function atLeast(field: string, value: OrderedValue): StateGuard {
  return { kind: 'atLeast', field, value }
}

/**
 * `field` is there and holds `value` or less.
 * @example
 * const guard = atMost('available', 10)
 * await ctx.write('reorder', { TableName, Key: { sku }, set: { reorder: true }, guard })
 */
export function atMost(field: string, value: OrderedValue): StateGuard {
  return { kind: 'atMost', field, value }
}

/**
 * Holds if at least one of the guards holds. `newerThan` cannot be one of them, because it writes its version to the item: put it
 * beside `anyOf` in a list.
 * @example
 * const guard = anyOf(absent('status'), equals('status', 'new'))
 * await ctx.write('paid', { TableName, Key: { orderId }, set: { status: 'paid' }, guard })
 */
export function anyOf(...guards: readonly StateGuard[]): StateGuard {
  return { kind: 'anyOf', guards }
}
