import type { Order } from '../events.ts'
import type { Handler } from './peer.ts'

/** Calls a function for each order, as an API would. */
export function oneByOne(call: (order: Order) => Promise<unknown>): Handler {
  return async ({ Records }) => {
    for (const { body } of Records) await call(JSON.parse(body) as Order)
    return { batchItemFailures: [] }
  }
}
