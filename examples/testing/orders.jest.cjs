const { recordHandler } = require('lineclear')
const { memoryCloud } = require('lineclear/testing')

test('an order that always fails is dead-lettered', async () => {
  const cloud = memoryCloud({
    queues: { orders: { deadLetter: { queue: 'dead', maxReceiveCount: 10 } }, dead: {} },
  })
  const { store, clients, clock, logger } = cloud
  const orders = recordHandler({ name: 'orders', store, clients, clock, logger }, () => {
    throw new Error('never')
  })
  cloud.send('orders', { orderId: 'o1' })
  await cloud.drain({ orders })
  expect(cloud.messages('dead')).toMatchObject([
    { payload: { orderId: 'o1' }, carried: { reason: 'exhausted', attempts: 6 } },
  ])
})
