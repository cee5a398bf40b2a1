import { defineDev } from 'lineclear/local'

export default defineDev({
  consumers: {
    orders: { load: () => import('./orders.ts'), functionTimeout: '3s' },
    pack: { load: () => import('./delivery.ts'), export: 'pack', functionTimeout: '3s' },
    booked: { load: () => import('./delivery.ts'), export: 'booked', functionTimeout: '3s' },
    ship: { load: () => import('./delivery.ts'), export: 'ship', functionTimeout: '3s' },
  },
  samples: {
    orders: (number) => ({ orderId: `order-${number}`, amount: 5 }),
    pack: (number) => ({ orderId: `order-${number}`, changedAt: Date.now() }),
    booked: { bookingId: 'the external id that the waiting order shows', parcel: 'p1' },
  },
})
