import { defineDev } from 'lineclear/local'

export default defineDev({
  cloud: { queues: { paid: {} }, tables: { stock: { hash: 'sku' } } },
  consumers: { orders: { load: () => import('./orders.ts'), functionTimeout: '1s' } },
})
