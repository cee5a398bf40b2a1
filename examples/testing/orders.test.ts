import { memoryCloud, type MemoryCloud } from 'lineclear/testing'
import { expect, it } from 'vitest'
import { orders } from './orders.ts'

const open = () =>
  memoryCloud({
    queues: { orders: { deadLetter: { queue: 'dead', maxReceiveCount: 10 } }, mail: {}, dead: {} },
    tables: { stock: { hash: 'sku' } },
  })

const clientsOf = ({ store, sqs, sns, clock, logger }: MemoryCloud) => ({
  store,
  sqs,
  sns,
  clock,
  logger,
})

it('answers an order that cannot be sold', async () => {
  const cloud = open()
  cloud.send('orders', { orderId: 'o1' })
  await cloud.deliver('orders', orders(clientsOf(cloud), cloud.queueUrl('mail')))
  expect(cloud.messages('mail')).toMatchObject([{ payload: { sold: false } }])
})

it('ends as a dead letter when there is no queue for the mail', async () => {
  const cloud = open()
  const noQueue = cloud.queueUrl('mail').replace('mail', 'no')
  cloud.send('orders', { orderId: 'o1' })
  await cloud.drain({ orders: orders(clientsOf(cloud), noQueue) })
  expect(cloud.messages('mail')).toEqual([])
  expect(cloud.messages('dead')).toMatchObject([
    { payload: { orderId: 'o1' }, carried: { reason: 'terminal' } },
  ])
})
