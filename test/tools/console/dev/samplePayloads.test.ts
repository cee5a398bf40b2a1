import { expect, test } from 'vitest'
import { z } from 'zod'
import { samplePayloads } from '../../../../src/tools/console/dev/samplePayloads.ts'
import { recordHandler } from '../../../../src/index.ts'
import { consumersOf } from '../../../../src/testing/index.ts'
import { memoryStore } from '../../../../src/store/memory/memoryStore.ts'

const handler = recordHandler(
  { name: 'orders', store: memoryStore(), schema: z.object({ orderId: z.string() }) },
  () => {},
)

test('the sample of the file goes before one from the schema, and that before what was sent last', () => {
  const payloadFor = samplePayloads({
    cloud: {
      queues: { mine: {}, orders: {}, plain: {}, other: {} },
      topics: { placed: { subscriptions: [{ queue: 'orders' }] } },
    },
    samples: { mine: { payload: null, counts: false } },
    handlers: { mine: consumersOf(handler), orders: consumersOf(handler), plain: [] },
    sent: [
      { to: 'orders', payload: 'old' },
      { to: 'plain', payload: 'newest' },
      { to: 'plain', payload: 'old' },
    ],
  })
  expect(payloadFor('mine', 'queue')).toEqual({ payload: null, from: 'file' })
  const made = { payload: { orderId: 'text' }, from: 'schema' }
  expect(payloadFor('orders', 'queue')).toEqual(made)
  expect(payloadFor('placed', 'topic')).toEqual(made)
  expect(payloadFor('plain', 'queue')).toEqual({ payload: 'newest', from: 'sent' })
  expect(payloadFor('other', 'queue')).toEqual({})
})
