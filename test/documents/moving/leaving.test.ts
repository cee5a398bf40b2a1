import { recordHandler } from 'lineclear'
import { memoryCloud } from 'lineclear/testing'
import { expect, it } from 'vitest'
import { unwrapped } from '../../../examples/migrating/leaving.ts'

const order = { orderId: 'o1' }

function shop() {
  const cloud = memoryCloud({
    queues: { orders: { deadLetter: { queue: 'dead', maxReceiveCount: 10 } }, dead: {} },
  })
  const { store, clients, clock, logger } = cloud
  const ran: [payload: unknown, requestId: string][] = []
  const wrapped = (fails: boolean) =>
    recordHandler({ name: 'orders', store, clients, clock, logger }, async (payload, ctx) => {
      ran.push([payload, ctx.uniqueRequestId])
      if (fails) throw new Error('the bank does not answer')
    })
  const take = async (payload: unknown, requestId: string) => void ran.push([payload, requestId])
  return { cloud, ran, wrapped, take }
}

it('reads the copy of a failed attempt under the id of its request, and its record stays open', async () => {
  const { cloud, ran, wrapped, take } = shop()
  cloud.send('orders', order)
  await cloud.deliver('orders', wrapped(true))
  await cloud.drain({ orders: unwrapped(take) })
  expect(ran).toEqual([[order, ran[0]?.[1]], ran[0]])
  expect(cloud.messages('orders')).toEqual([])
  const due = { until: Number.MAX_SAFE_INTEGER, most: 10 }
  const shards = Array.from({ length: 8 }, (_, n) =>
    cloud.store.due({ ...due, statusShard: `inProgress#${n}` }),
  )
  const open = (await Promise.all(shards)).flatMap((page) => ('keys' in page ? page.keys : []))
  expect(open).toMatchObject([{ pk: `lock#orders/${ran[0]?.[1]}` }])
})

it('repeats what a consumer with Lineclear has completed', async () => {
  const { cloud, ran, wrapped, take } = shop()
  for (const handler of [wrapped(false), wrapped(false), unwrapped(take)]) {
    cloud.send('orders', order, { attributes: { uniquerequestid: 'r1' } })
    await cloud.drain({ orders: handler })
  }
  expect(ran).toEqual([
    [order, 'r1'],
    [order, 'r1'],
  ])
})

it('leaves on the queue what fails', async () => {
  const { cloud } = shop()
  cloud.send('orders', order)
  const failing = unwrapped(() => Promise.reject(new Error('the bank does not answer')))
  expect(await cloud.deliver('orders', failing)).toMatchObject({ returned: 1 })
})
