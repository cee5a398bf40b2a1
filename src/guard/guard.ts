import type { UserValue } from '../store/store.ts'

/** When a write may take place. Data: the same guard becomes a DynamoDB condition and a check on the memory store. */
export type Guard =
  | { readonly kind: 'newerThan'; readonly field: string; readonly at: number }
  | { readonly kind: 'unchanged'; readonly field: string; readonly value: UserValue | undefined }
  | { readonly kind: 'allOf'; readonly guards: readonly Guard[] }

/**
 * The write happens only if this request is newer than what `field` holds: last writer wins by sending time, whatever
 * the order of arrival. `at` is epoch milliseconds, as `ctx.sentAt`; it is written to `field`, and the request's id to
 * `<field>_uniquerequestid`, so that two requests of one millisecond are ordered and a winner's own re-run goes on.
 * Older: the write is not applied, with reason `stale`. A time more than 5 minutes ahead is refused (TerminalError):
 * one wrong clock would shut out everybody else. For data that add up use `ctx.applyOnce`: the older of two increments
 * is not stale. A deleted item forgets its version: mark it deleted instead of `ctx.delete` where older writes may
 * still come.
 */
export function newerThan(field: string, at: number): Guard {
  return { kind: 'newerThan', field, at }
}

/** The write happens only if `field` still holds `value`; `undefined`: is still absent. Else the reason is `changed`. */
export function unchanged(field: string, value: UserValue | undefined): Guard {
  return { kind: 'unchanged', field, value }
}

/** Every one of the guards; the first that fails gives the reason. */
export function allOf(...guards: readonly Guard[]): Guard {
  return { kind: 'allOf', guards }
}
