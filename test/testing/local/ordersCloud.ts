import { tableDefinition } from 'lineclear/dynamodb'
import type { CloudDescription } from 'lineclear/local'

/** The cloud of `examples/orders`, with redeliveries that a test can wait for. */
export const ORDERS_CLOUD: CloudDescription = {
  queues: { orders: { visibilityTimeout: 2 }, paid: {} },
  topics: {
    orders: { subscriptions: [{ queue: 'orders' }] },
    paid: { subscriptions: [{ queue: 'paid' }] },
  },
  tables: { lineclear: tableDefinition(), stock: { hash: 'sku' } },
}
