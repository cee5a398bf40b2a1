import { StoreUnavailableError } from 'lineclear'
import { memoryCloud, type MemoryCloud } from 'lineclear/testing'
import { expect, it, vi } from 'vitest'
import { orders } from './orders.ts'

const open = () =>
  memoryCloud({
    queues: { orders: { deadLetter: { queue: 'dead', maxReceiveCount: 10 } }, mail: {}, dead: {} },
    tables: { stock: { hash: 'sku' } },
    rows: { stock: [{ sku: 's', available: 1 }] },
  })

const givenOf = ({ store, clients, clock, logger }: MemoryCloud) => ({
  store,
  clients,
  clock,
  logger,
})

it('answers an order that cannot be sold', async () => {
  const cloud = open()
  const handler = orders(givenOf(cloud), cloud.queueUrl('mail'))
  for (const orderId of ['o1', 'o2']) {
    cloud.send('orders', { orderId })
    await cloud.deliver('orders', handler)
  }
  expect(cloud.messages('mail')).toMatchObject([
    { payload: { sold: true } },
    { payload: { sold: false } },
  ])
})

it('sells once when the first write fails', async () => {
  const cloud = open()
  vi.spyOn(cloud.store, 'transact').mockRejectedValueOnce(new StoreUnavailableError('no answer'))
  cloud.send('orders', { orderId: 'o1' })
  await cloud.drain({ orders: orders(givenOf(cloud), cloud.queueUrl('mail')) })
  expect(cloud.lines.some(({ message }) => message.startsWith('failed, will be retried'))).toBe(
    true,
  )
  expect(cloud.store.userItems('stock')).toEqual([{ sku: 's', available: 0 }])
  expect(cloud.messages('mail')).toMatchObject([{ payload: { sold: true } }])
})

it('waits as long as there is no queue for the mail, and sells once', async () => {
  const cloud = open()
  const noQueue = cloud.queueUrl('mail').replace('mail', 'no')
  cloud.send('orders', { orderId: 'o1' })
  await cloud.deliver('orders', orders(givenOf(cloud), noQueue))
  expect(cloud.messages('mail')).toEqual([])
  await cloud.drain({ orders: orders(givenOf(cloud), cloud.queueUrl('mail')) })
  expect(cloud.messages('mail')).toMatchObject([{ payload: { sold: true } }])
  expect(cloud.store.userItems('stock')).toEqual([{ sku: 's', available: 0 }])
})
