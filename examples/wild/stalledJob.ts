import { recordHandler } from 'lineclear'
import { fakeClock, memoryCloud } from 'lineclear/testing'

/**
 * https://github.com/taskforcesh/bullmq/issues/3183 (BullMQ 6.7): a worker cannot renew its lock, the job counts as stalled, a
 * second worker does it, and then the first one, which was only slow, writes over it.
 */
export async function before(): Promise<object> {
  const clock = fakeClock()
  const slow = Promise.withResolvers<void>()
  const prices = new Map<string, string>()
  let lockedUntil = 0
  const work = async (worker: string, ready: Promise<void>): Promise<void> => {
    if (clock.now() < lockedUntil) return
    lockedUntil = clock.now() + 30_000
    await ready
    prices.set('apple', worker)
  }
  const first = work('the first', slow.promise)
  clock.advance(31_000)
  await work('the second', Promise.resolve())
  slow.resolve()
  await first
  return { price: prices.get('apple') }
}

export async function after(): Promise<object> {
  const cloud = memoryCloud({ queues: { prices: {} } })
  const { store, clients, clock, logger } = cloud
  const [started, slow] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  const options = { name: 'prices', store, clients, clock, logger }
  const prices = recordHandler(options, async (_, ctx) => {
    const worker = ctx.attempt === 1 ? 'the first' : 'the second'
    started.resolve()
    if (ctx.attempt === 1) await slow.promise
    await ctx.write('price', { TableName: 'prices', Key: { sku: 'apple' }, put: { worker } })
  })
  cloud.send('prices', {})
  const first = cloud.deliver('prices', prices)
  await started.promise
  clock.advance(16 * 60_000)
  await cloud.drain({ prices })
  slow.resolve()
  await first
  return { price: store.userItems('prices')[0]?.['worker'] }
}
