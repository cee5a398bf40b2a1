import { atLeast, recordHandler } from 'lineclear'
import { memoryCloud, type MemoryCloud } from 'lineclear/testing'
import { expect, it } from 'vitest'

/** As yours, with everything outside handed in. */
function orders({ store, sqs, sns, clock, logger, queueUrl }: MemoryCloud) {
  return recordHandler({ name: 'orders', store, sqs, sns, clock, logger }, async (_, ctx) => {
    const sale = {
      TableName: 'stock',
      Key: { sku: 's' },
      add: { available: -1 },
      guard: atLeast('available', 1),
    }
    const sold = await ctx.once('sold', async () => (await ctx.applyOnce('sell', sale)).applied)
    await ctx.sendTo(queueUrl('mail'), { sold })
  })
}

const open = () =>
  memoryCloud({
    queues: { orders: { deadLetter: { queue: 'dead', maxReceiveCount: 10 } }, mail: {}, dead: {} },
    tables: { stock: { hash: 'sku' } },
  })

it('answers an order that cannot be sold', async () => {
  const cloud = open()
  cloud.send('orders', { orderId: 'o1' })
  await cloud.deliver('orders', orders(cloud))
  expect(cloud.messages('mail')).toMatchObject([{ payload: { sold: false } }])
})

it('ends as a dead letter when there is no queue for the mail', async () => {
  const cloud = open()
  const broken = orders({ ...cloud, queueUrl: () => cloud.queueUrl('mail').replace('mail', 'no') })
  cloud.send('orders', { orderId: 'o1' })
  await cloud.drain({ orders: broken })
  expect(cloud.messages('mail')).toEqual([])
  expect(cloud.messages('dead')).toMatchObject([
    { payload: { orderId: 'o1' }, carried: { reason: 'terminal' } },
  ])
})
