import { defineDev } from 'lineclear/local'

export default defineDev({
  cloud: {
    topics: { orders: ['orders'], paid: ['paid'] },
    tables: { stock: { hash: 'sku' } },
  },
  outside: { payments: {} },
  consumers: { orders: { load: () => import('./handler.ts'), functionTimeout: '3s' } },
  samples: { orders: (number) => ({ orderId: `order-${number}`, sku: 'apple', quantity: 1 }) },
  books: {
    'charged once per order': async ({ calls }) => {
      const orders = (await calls('payments')).map(({ path }) => path.replace('/charges/', ''))
      return orders.filter((order, at) => orders.indexOf(order) !== at)
    },
    'reserved = orders': {
      atRest: async ({ items, sent }) => {
        const stock = await items('stock')
        const reserved = stock.reduce((sum, item) => sum + Number(item['reserved']), 0)
        return reserved === sent('orders').length ? [] : [`reserved ${reserved}`]
      },
    },
  },
})
