import { defineDev } from 'lineclear/local'

export default defineDev({
  consumers: { orders: { load: () => import('./orders.ts'), functionTimeout: '3s' } },
  samples: { orders: (number) => ({ orderId: `order-${number}`, amount: 5 }) },
})
