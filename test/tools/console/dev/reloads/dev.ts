import { tableDefinition } from 'lineclear/dynamodb'
import { defineDev } from 'lineclear/local'

export default defineDev({
  cloud: {
    queues: { orders: { visibilityTimeout: 3 } },
    tables: { lineclear: tableDefinition(), stock: { hash: 'sku' } },
  },
  consumers: { orders: { load: () => import('./handler.ts'), functionTimeout: 500 } },
  samples: { orders: (number) => ({ number }) },
  books: {
    'counted = orders': {
      atRest: async ({ items, sent }) => {
        const orders = sent('orders').length
        const counted = (await items('stock')).reduce(
          (sum, each) => sum + Number(each['counted']),
          0,
        )
        return counted === orders ? [] : [`${counted} of ${orders}`]
      },
    },
  },
})
