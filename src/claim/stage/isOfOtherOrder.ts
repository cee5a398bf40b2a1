import type { Order, StageRecord } from './stageRecord.ts'

/**
 * The flow had another order when its record began. What that one remembers does not answer the other's question: `newest` keeps
 * no list of ended requests, so `every` would run late copies again; by the newest version alone a dead letter of `every` would
 * pass for outdated.
 */
export function isOfOtherOrder(
  record: StageRecord | undefined,
  { order }: { readonly order: Order },
): boolean {
  return record !== undefined && record.order !== order
}
