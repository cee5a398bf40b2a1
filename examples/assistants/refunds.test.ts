import { memoryCloud } from 'lineclear/testing'
import { expect, it } from 'vitest'
import { consumer } from './refunds.ts'

const refundOf = (refundId: string) => ({ refundId, orderId: 'o1', cents: 500 })

it('refunds once, and no more than was paid, when messages come twice and an answer is lost', async () => {
  const { store, clients, clock, logger, ...cloud } = memoryCloud({
    queues: { queue: { deadLetter: { queue: 'dead', maxReceiveCount: 10 } }, dead: {}, mail: {} },
    tables: { payments: { hash: 'orderId' } },
    rows: { payments: [{ orderId: 'o1', refundable: 900 }] },
  })
  const keys: string[] = []
  const refund = async (_: number, idempotencyKey: string): Promise<string> => {
    keys.push(idempotencyKey)
    if (keys.length === 1) throw new Error('no answer')
    return 'receipt'
  }
  const given = { store, clients, clock, logger }
  const handler = consumer(given, { refund, mailQueueUrl: cloud.queueUrl('mail') })
  for (const refundId of ['r1', 'r1', 'r2']) {
    cloud.send('queue', refundOf(refundId))
    await cloud.drain({ queue: handler })
  }
  expect(new Set(keys).size).toBe(1)
  expect(store.userItems('payments')).toEqual([{ orderId: 'o1', refundable: 400 }])
  expect(cloud.messages('mail')).toMatchObject([
    { payload: { refundId: 'r1', receipt: 'receipt' } },
    { payload: { refundId: 'r2', receipt: 'refused' } },
  ])
  expect(cloud.messages('dead')).toEqual([])
})

it('gives back what it has taken when the provider refuses', async () => {
  const { store, clients, clock, logger, ...cloud } = memoryCloud({
    queues: { queue: {}, mail: {} },
    tables: { payments: { hash: 'orderId' } },
    rows: { payments: [{ orderId: 'o1', refundable: 900 }] },
  })
  const outside = { refund: async () => 'refused', mailQueueUrl: cloud.queueUrl('mail') }
  cloud.send('queue', refundOf('r1'))
  await cloud.drain({ queue: consumer({ store, clients, clock, logger }, outside) })
  expect(store.userItems('payments')).toEqual([{ orderId: 'o1', refundable: 900 }])
  expect(cloud.messages('mail')).toMatchObject([{ payload: { receipt: 'refused' } }])
})
