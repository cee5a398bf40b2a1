import { recordHandler } from 'lineclear'
import { memoryCloud } from 'lineclear/testing'
import { expect, it } from 'vitest'

const MINUTE = 60_000
/** Records that wait for one moment come back within a second after it; SQS hides for whole seconds. */
const SPREAD = 2_000
const SAME = { attributes: { uniquerequestid: 'r' } }

/** The first attempt of a request has failed: its message is hidden for ten minutes, until the retry is due. */
async function failedOnce() {
  const cloud = memoryCloud({ queues: { orders: {} } })
  const { store, clients, clock, logger } = cloud
  const attempts: number[] = []
  const handler = recordHandler(
    {
      name: 'orders',
      store,
      clients,
      clock,
      logger,
      retry: { delay: () => 10 * MINUTE, transport: 'visibility' },
    },
    (_, { attempt }) => {
      attempts.push(attempt)
      if (attempt === 1) throw new Error('not yet')
    },
  )
  cloud.send('orders', { n: 1 }, SAME)
  await cloud.deliver('orders', handler)
  return { cloud, handler, attempts, due: clock.now() + 10 * MINUTE }
}

it('a copy that comes before the retry of its request is due runs nothing, and is hidden until then', async () => {
  const { cloud, handler, attempts, due } = await failedOnce()
  cloud.clock.advance(MINUTE)
  cloud.send('orders', { n: 1 }, SAME)
  await cloud.deliver('orders', handler)
  expect(attempts).toEqual([1])
  expect(cloud.lines.findLast(({ message }) => message === 'deferred')?.fields).toMatchObject({
    why: 'early',
    until: new Date(due).toISOString(),
  })
  const hidden = cloud.messages('orders').map(({ visibleAt }) => visibleAt)
  expect(hidden).toHaveLength(2)
  for (const until of hidden) {
    expect(until).toBeGreaterThanOrEqual(due)
    expect(until).toBeLessThanOrEqual(due + SPREAD)
  }
})

it('both run one attempt when it is due, whichever comes first', async () => {
  const { cloud, handler, attempts, due } = await failedOnce()
  cloud.send('orders', { n: 1 }, SAME)
  await cloud.deliver('orders', handler)
  cloud.clock.advance(due - cloud.clock.now() + SPREAD)
  await cloud.deliver('orders', handler)
  expect([attempts, cloud.messages('orders')]).toEqual([[1, 2], []])
})
