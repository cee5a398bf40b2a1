import assert from 'node:assert/strict'
import { test } from 'node:test'
import { recordHandler } from 'lineclear'
import { memoryCloud } from 'lineclear/testing'

// node --test examples/testing/orders.nodetest.ts
await test('an order is tried again two seconds later', async () => {
  const { send, drain, messages, queueUrl, ...cloud } = memoryCloud({
    queues: { orders: {}, mail: {} },
  })
  const { store, clients, clock, logger } = cloud
  const began = clock.now()
  const orders = recordHandler(
    { name: 'orders', store, clients, clock, logger },
    async (order, ctx) => {
      if (ctx.attempt === 1) throw new Error('not yet')
      await ctx.send(queueUrl('mail'), order)
    },
  )
  send('orders', { orderId: 'o1' })
  await drain({ orders })
  const [mail] = messages('mail')
  assert.deepEqual(mail?.payload, { orderId: 'o1' })
  assert.ok(clock.now() - began >= 1_000)
})
