import type { SQSEvent } from 'aws-lambda'
import { recordHandler, snsTopic } from 'lineclear'
import { memoryCloud } from 'lineclear/testing'
import { describe, expect, it } from 'vitest'
import { unwrapped } from '../../../examples/migrating/leaving.ts'
import { leavingBeside } from '../../../examples/migrating/leavingBeside.ts'

const order = { orderId: 'o1' }

function shop() {
  const cloud = memoryCloud({
    queues: { orders: { deadLetter: { queue: 'dead', maxReceiveCount: 10 } }, dead: {} },
    topics: { news: { subscriptions: [{ queue: 'orders' }] } },
  })
  const { store, clients, clock, logger } = cloud
  const given = { name: 'orders', store, clients, clock, logger }
  const ran: [payload: unknown, requestId: string][] = []
  const wrapped = (fails: boolean) =>
    recordHandler({ ...given, envelopes: [snsTopic('any')] }, async (payload, ctx) => {
      ran.push([payload, ctx.uniqueRequestId])
      if (fails) throw new Error('the bank does not answer')
    })
  const take = async (payload: unknown, requestId: string) => void ran.push([payload, requestId])
  return { cloud, ran, wrapped, take, store }
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

it.each([
  ['with an id of its sender', { uniquerequestid: 'r1' }],
  ['without one', {}],
])('reads a message of a topic %s as its copy: payload and id', async (_, attributes) => {
  const { cloud, ran, wrapped, take } = shop()
  cloud.publish('news', order, { attributes })
  const events: SQSEvent[] = []
  await cloud.deliver('orders', (event, context) => {
    events.push(event)
    return wrapped(true)(event, context)
  })
  for (const event of events) await unwrapped(take, [cloud.topicArn('news')])(event)
  await cloud.drain({ orders: unwrapped(take, [cloud.topicArn('news')]) })
  expect(ran).toEqual([[order, ran[0]?.[1]], ran[0], ran[0]])
  expect(ran[0]?.[1]).toMatch('uniquerequestid' in attributes ? /^r1$/ : /^[\w-]{36}$/)
})

it('takes a notification of another topic as payload, as the consumer did', async () => {
  const { cloud, ran, take } = shop()
  cloud.publish('news', order)
  await cloud.drain({ orders: unwrapped(take, ['arn:aws:sns:eu-west-1:123456789012:other']) })
  expect(ran).toMatchObject([[{ Type: 'Notification' }, expect.any(String)]])
})

describe('without a quiet hour', () => {
  /** One message of a request that Lineclear has completed, begun, or never seen; and who runs it next. */
  async function leave(before: 'completed' | 'begun' | 'never seen') {
    const { cloud, ran, wrapped, take, store } = shop()
    const send = (): void => cloud.publish('news', order, { attributes: { uniquerequestid: 'r1' } })
    if (before !== 'never seen') {
      send()
      await cloud.deliver('orders', wrapped(before === 'begun'))
    }
    if (before !== 'begun') send()
    ran.length = 0
    const plain: string[] = []
    const handler = leavingBeside(
      { consumer: wrapped(false), store, name: 'orders' },
      async (payload, requestId) => {
        plain.push(requestId)
        await take(payload, requestId)
      },
      [cloud.topicArn('news')],
    )
    await cloud.drain({ orders: handler })
    expect(cloud.messages('dead')).toEqual([])
    return { ran, plain }
  }

  it.each([
    ['never seen', [[order, 'r1']], ['r1']],
    ['begun', [[order, 'r1']], []],
    ['completed', [], []],
  ] as const)('a request that is %s', async (before, ran, plain) => {
    expect(await leave(before)).toEqual({ ran, plain })
  })

  it('a batch has some of each, and what fails stays on the queue', async () => {
    const { cloud, ran, wrapped, store } = shop()
    const topics = [cloud.topicArn('news')]
    cloud.publish('news', order, { attributes: { uniquerequestid: 'begun' } })
    await cloud.deliver('orders', wrapped(true))
    cloud.publish('news', order, { attributes: { uniquerequestid: 'new' } })
    const given = { consumer: wrapped(false), store, name: 'orders' }
    const refusing = leavingBeside(given, () => Promise.reject(new Error('no')), topics)
    cloud.clock.advance(3_600_000)
    expect(await cloud.deliver('orders', refusing)).toMatchObject({ returned: 1 })
    expect(ran.map(([, id]) => id)).toEqual(['begun', 'begun'])
  })
})
