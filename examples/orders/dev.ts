import { tableDefinition } from 'lineclear/dynamodb'
import { defineDev } from 'lineclear/local'

export default defineDev({
  cloud: {
    queues: { orders: { visibilityTimeout: 18 }, paid: {} },
    topics: {
      orders: { subscriptions: [{ queue: 'orders' }] },
      paid: { subscriptions: [{ queue: 'paid' }] },
    },
    tables: { lineclear: tableDefinition(), stock: { hash: 'sku' } },
  },
  outside: { payments: {} },
  environment: (cloud, outside) => ({
    ORDERS_TOPIC: cloud.topicArn('orders'),
    PAID_TOPIC: cloud.topicArn('paid'),
    PAYMENTS_URL: outside['payments'] ?? '',
  }),
  consumers: { orders: { load: () => import('./handler.ts'), functionTimeout: '3s' } },
  samples: { orders: (number) => ({ orderId: `order-${number}`, sku: 'apple', quantity: 1 }) },
  books: {
    'charged once per order': async ({ calls }) => {
      const charges = (await calls('payments')).map(({ path }) => path.replace('/charges/', ''))
      return charges.filter((order, at) => charges.indexOf(order) !== at)
    },
    'reserved = orders': {
      atRest: async ({ items, sent }) => {
        const orders = sent('orders').length
        const reserved = (await items('stock')).reduce(
          (sum, each) => sum + Number(each['reserved']),
          0,
        )
        return { offending: reserved === orders ? [] : ['apple'], note: `${reserved} of ${orders}` }
      },
    },
  },
})
