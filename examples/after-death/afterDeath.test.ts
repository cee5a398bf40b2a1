import { memoryCloud } from 'lineclear/testing'
import { expect, it } from 'vitest'
import { type Bank, reservations } from './reservations.ts'
import { webhooks } from './webhooks.ts'

function open() {
  const consumed = { deadLetter: { queue: 'dead', maxReceiveCount: 1_000 } }
  const cloud = memoryCloud({ queues: { notices: consumed, orders: consumed, dead: {} } })
  const { store, clients, clock, logger } = cloud
  return { cloud, given: { store, clients, clock, logger } }
}

it('disables the webhook of a partner that never answers, and of no other', async () => {
  const { cloud, given } = open()
  const handler = webhooks(given, async (partner) => partner !== 'gone')
  cloud.send('notices', { noticeId: 'n-1', partner: 'gone', text: 'hello' })
  cloud.send('notices', { noticeId: 'n-2', partner: 'here', text: 'hello' })
  await cloud.drain({ notices: handler })
  const because = 'RetryableError: gone does not answer'
  expect(cloud.store.userItems('partners')).toEqual([
    { partner: 'gone', webhook: 'disabled', because },
  ])
})

it.each(['refused', 'lost'] as const)('takes back an order whose payment is %s', async (how) => {
  const { cloud, given } = open()
  const keys: string[] = []
  const bank: Bank = {
    charge: async (_orderId, key) => {
      keys.push(`charge ${key}`)
      if (how === 'lost') throw new Error('connection reset')
      return how
    },
    voidPayment: async (key) => void keys.push(`void ${key}`),
  }
  cloud.send('orders', { orderId: 'o-1', sku: 'apple', quantity: 2 })
  await cloud.drain({ orders: reservations(given, bank) })
  expect(cloud.store.userItems('stock')).toEqual([{ sku: 'apple', free: 0 }])
  const [charged = ''] = keys
  expect(keys).toEqual([charged, charged.replace('charge', 'void')])
})
