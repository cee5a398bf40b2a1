import { recordHandler, type RecordContext, type HandlerResult } from 'lineclear'
import type { CrashCloud } from 'lineclear/testing'

export interface Order {
  readonly orderId: string
  readonly state?: number
}
export const ORDER: Order = { orderId: 'o1' }
export const Key = { id: 'all' }
export const SOUND = { lost: 0, doubled: 0, stale: 0, stuck: 0, finding: undefined }

export type Work = (order: Order, ctx: RecordContext, cloud: CrashCloud) => HandlerResult
interface Extra {
  readonly id?: (payload: unknown) => string
}

/** A consumer of orders, as exploreCrashes wants it. */
export function consumerOf(
  work: Work,
  extra: Extra = {},
): (cloud: CrashCloud) => ReturnType<typeof recordHandler> {
  return (cloud) => {
    const { store, clients, clock, logger } = cloud
    return recordHandler(
      { name: 'orders', store, clients, clock, logger, retry: { maxAttempts: 3 }, ...extra },
      (order, ctx) => work(order as Order, ctx, cloud),
    )
  }
}

export const summing: Work = (_, ctx) => ctx.write('sum', { TableName: 't', Key, add: { n: 1 } })
