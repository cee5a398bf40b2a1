import { recordHandler } from 'lineclear'
import { memoryCloud } from 'lineclear/testing'

/**
 * https://github.com/hatchet-dev/hatchet/issues/1022 and 4439 (Hatchet 1.33): a step times out, is run again from its first
 * line, and the timed-out one goes on, too: what stands before the slow call and behind it happens twice.
 */
export async function before(): Promise<object> {
  const books = { reserved: 0, mails: 0 }
  const slow = Promise.withResolvers<void>()
  const step = async (attempt: number): Promise<void> => {
    books.reserved += 1
    if (attempt === 1) await slow.promise
    books.mails += 1
  }
  const timedOut = step(1)
  await step(2)
  slow.resolve()
  await timedOut
  return books
}

export async function after(): Promise<object> {
  const cloud = memoryCloud({ queues: { orders: {} } })
  const { store, clients, clock, logger } = cloud
  const [started, slow] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  let mails = 0
  const orders = recordHandler(
    { name: 'orders', store, clients, clock, logger },
    async (_, ctx) => {
      const Key = { sku: 'apple' }
      await ctx.write('reserve', { TableName: 'stock', Key, add: { reserved: 1 } })
      started.resolve()
      if (ctx.attempt === 1) await slow.promise
      await ctx.call('mail', async () => (mails += 1), { ifUnknown: 'stop' })
    },
  )
  cloud.send('orders', {})
  const timedOut = cloud.deliver('orders', orders)
  await started.promise
  clock.advance(16 * 60_000)
  await cloud.drain({ orders })
  slow.resolve()
  await timedOut
  return { reserved: store.userItems('stock')[0]?.['reserved'], mails }
}
