import { sweepHandler } from 'lineclear'
import { memoryCloud } from 'lineclear/testing'
import { describe, expect, it } from 'vitest'
import { type Bank, reservations } from './reservations.ts'
import { trips } from './trips.ts'
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

describe('a trip over three functions', () => {
  const WISH = { tripId: 't-1', wantedAt: '2026-01-31T10:00:00Z', days: 3 }
  const NEWER = { tripId: 't-1', wantedAt: '2026-01-31T10:00:05Z', days: 5 }

  function opened(answer: 'paid' | 'refused') {
    const consumed = { deadLetter: { queue: 'dead', maxReceiveCount: 1_000 } }
    const queues = { reserve: consumed, charge: consumed, confirm: consumed, failures: consumed }
    const cloud = memoryCloud({ queues: { ...queues, dead: {} } })
    const { store, clients, clock, logger } = cloud
    const given = { store, clients, clock, logger }
    const voided: string[] = []
    const bank: Bank = {
      charge: async () => answer,
      voidPayment: async (key) => void voided.push(key),
    }
    const handlers = trips(given, (name) => cloud.queueUrl(name), bank)
    const { failures, ...stages } = handlers
    return {
      cloud,
      stages,
      voided,
      async told() {
        clock.advance(2 * 3_600_000)
        await sweepHandler(given)()
        await cloud.drain({ failures })
      },
    }
  }

  it('that is replaced by a newer wish is voided, and its nights are given back', async () => {
    const { cloud, stages, voided, told } = opened('paid')
    cloud.send('reserve', WISH)
    await cloud.drain({ reserve: stages.reserve })
    await cloud.drain({ charge: stages.charge })
    cloud.send('reserve', NEWER)
    await cloud.drain(stages)
    await told()
    expect(cloud.store.userItems('rooms')).toEqual([
      { tripId: 't-1', nights: 5, state: 'confirmed' },
    ])
    expect(voided).toHaveLength(1)
  })

  it('that dies keeps what it has, and is reported', async () => {
    const { cloud, stages, voided, told } = opened('refused')
    cloud.send('reserve', WISH)
    await cloud.drain(stages)
    await told()
    expect(cloud.store.userItems('rooms')).toEqual([{ tripId: 't-1', nights: 3 }])
    expect(cloud.store.userItems('trouble')).toEqual([
      { tripId: 't-1', state: 'failed', because: 'charge: terminal' },
    ])
    expect(voided).toEqual([])
  })
})
