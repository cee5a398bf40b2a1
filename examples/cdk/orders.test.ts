import { memoryCloud } from 'lineclear/testing'
import { expect, it } from 'vitest'
import { consumer } from './orders.ts'

it('charges an order under one key, also after a failure and when its message comes twice', async () => {
  const { store, clients, clock, logger, ...cloud } = memoryCloud({
    queues: { queue: { deadLetter: { queue: 'dead', maxReceiveCount: 10 } }, dead: {} },
  })
  const keys: string[] = []
  const handler = consumer({ store, clients, clock, logger }, async (_, idempotencyKey) => {
    keys.push(idempotencyKey)
    if (keys.length === 1) throw new Error('no answer')
    return 'receipt'
  })
  cloud.send('queue', { orderId: 'o1', amount: 5 })
  cloud.send('queue', { orderId: 'o1', amount: 5 })
  await cloud.drain({ queue: handler })
  expect(keys).toHaveLength(2)
  expect(new Set(keys).size).toBe(1)
  expect(cloud.messages('dead')).toEqual([])
})
