import type { Order, StageRecord } from './stageRecord.ts'

/**
 * Whether the flow had another `order` when its record began. The two orders remember different things: `newest` keeps no list of
 * ended requests, so `every` would run late copies again; and judged by the newest version alone, a dead letter of `every` would
 * look outdated.
 */
export function isOfOtherOrder(
  record: StageRecord | undefined,
  { order }: { readonly order: Order },
): boolean {
  return record !== undefined && record.order !== order
}
