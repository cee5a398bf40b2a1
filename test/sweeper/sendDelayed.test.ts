import type { SendMessageBatchCommand, SQSClient } from '@aws-sdk/client-sqs'
import { recordHandler } from 'lineclear'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import {
  type DelayedCloud,
  delayedCloud,
  HOUR,
  MINUTE,
  startEngine,
} from '../features/delay/delayedCloud.ts'
import type { Store } from '../../src/library/protocol/store/store.ts'

const NOTHING = { sent: 0, waiting: 0, notKnown: 0, failed: 0 }

let engine: Awaited<ReturnType<typeof startEngine>>
beforeAll(async () => {
  engine = await startEngine()
})
afterAll(() => engine.stop())

const STORES: readonly (readonly [string, () => Promise<DelayedCloud>])[] = [
  ['in memory', async () => delayedCloud()],
  ['on DynamoDB', () => engine.cloud()],
]

describe.each(STORES)('a message delayed by a day, %s', (_where, open) => {
  it('is a row until it is due, and then a message, never both', async () => {
    const cloud = await open()
    cloud.send('orders', { orderId: 'o1' })
    const due = cloud.clock.now() + 24 * HOUR
    await cloud.deliver('orders', cloud.reminding('24h'))
    expect(await cloud.waiting()).toMatchObject([{ st: 'due', due, dueAt: due, by: 'orders' }])
    cloud.clock.set(due - 2 * MINUTE)
    expect(await cloud.sweep()).toMatchObject({ delayed: NOTHING })
    expect(cloud.messages('reminders')).toEqual([])
    cloud.clock.set(due - MINUTE)
    expect(await cloud.sweep()).toMatchObject({ delayed: { ...NOTHING, sent: 1 } })
    expect(cloud.messages('reminders')).toMatchObject([
      { payload: { orderId: 'o1' }, state: 'delayed', visibleAt: due },
    ])
    expect(await cloud.waiting()).toEqual([])
    expect(await cloud.sweep()).toMatchObject({ delayed: NOTHING })
  })

  it('leaves a small tombstone for the retention', async () => {
    const cloud = await open()
    cloud.send('orders', {})
    await cloud.deliver('orders', cloud.reminding('1h', { retention: '7d' }))
    const [row] = await cloud.waiting()
    cloud.clock.advance(HOUR)
    await cloud.sweep()
    const closed = await cloud.row(row)
    expect(closed).toMatchObject({
      st: 'sent',
      ttl: Math.ceil((cloud.clock.now() + 7 * 24 * HOUR) / 1_000),
    })
    for (const gone of ['message', 'statusShard', 'dueAt']) expect(closed).not.toHaveProperty(gone)
  })

  it('is not stored again by a second run of its handler, nor after it was sent', async () => {
    const cloud = await open()
    const refusing: Store = {
      ...cloud.store,
      update: async (updates) =>
        updates.map(() => ({ kind: 'failed', error: new Error('no answer') })),
    }
    cloud.send('orders', {})
    const handler = (store: Store) => cloud.reminding('1h', { store })
    await cloud.deliver('orders', handler(refusing))
    expect(await cloud.waiting()).toHaveLength(1)
    const [before] = await cloud.waiting()
    cloud.clock.advance(HOUR)
    await cloud.sweep()
    await cloud.deliver('orders', handler(cloud.store))
    expect(cloud.messages('orders')).toEqual([])
    expect(await cloud.waiting()).toEqual([])
    await cloud.sweep()
    expect(cloud.messages('reminders')).toHaveLength(1)
    expect(before?.['st']).toBe('due')
  })

  it('that was sent and not closed is sent again under the same id', async () => {
    const cloud = await open()
    cloud.send('orders', {})
    await cloud.deliver('orders', cloud.reminding('1h'))
    cloud.clock.advance(HOUR)
    const killed: Store = {
      ...cloud.store,
      update: async (updates) =>
        updates.map(() => ({ kind: 'failed', error: new Error('no answer') })),
    }
    expect(await cloud.waiting()).toMatchObject([{ st: 'due', due: cloud.clock.now() }])
    const once = { delayed: { ...NOTHING, sent: 1 } }
    expect(await cloud.sweep({ store: killed })).toMatchObject(once)
    expect(await cloud.sweep()).toMatchObject(once)
    const ids = cloud.messages('reminders').map(({ carried }) => carried.uniqueRequestId)
    expect(ids).toHaveLength(2)
    expect(new Set(ids).size).toBe(1)
  })

  it('is sent by two sweepers at once at most twice, under one id', async () => {
    const cloud = await open()
    cloud.send('orders', {})
    await cloud.deliver('orders', cloud.reminding('1h'))
    cloud.clock.advance(HOUR)
    await Promise.all([cloud.sweep(), cloud.sweep()])
    const ids = cloud.messages('reminders').map(({ carried }) => carried.uniqueRequestId)
    expect(ids.length).toBeLessThanOrEqual(2)
    expect(new Set(ids).size).toBe(1)
    expect(await cloud.waiting()).toEqual([])
  })

  it('keeps binary attributes, and those whose names are odd', async () => {
    const cloud = await open()
    const attributes = { picture: new Uint8Array([0, 255, 7]), ['__proto__']: 'x', n: 1.5 }
    const handler = recordHandler({ name: 'orders', ...cloud.options }, (_order, ctx) =>
      ctx.send(cloud.queueUrl('reminders'), 'é\u{1f600}', { delay: '1h', attributes }),
    )
    cloud.send('orders', {})
    await cloud.deliver('orders', handler)
    cloud.clock.advance(HOUR)
    await cloud.sweep()
    const [message] = cloud.messages('reminders')
    expect(message?.payload).toBe('é\u{1f600}')
    expect(message?.attributes).toEqual({
      ...attributes,
      picture: new Uint8Array([0, 255, 7]),
      n: '1.5',
    })
  })
})

describe('one run of the sweeper', () => {
  /** Stores `count` messages for a queue, each due a second after the one before. */
  async function stored(cloud: DelayedCloud, count: number, queue: string): Promise<void> {
    const handler = recordHandler({ name: 'orders', ...cloud.options }, async (_order, ctx) => {
      const sends = Array.from({ length: count }, (_, nth) => {
        const grouped = queue.endsWith('.fifo') ? { groupId: 'g' } : {}
        const url =
          queue === 'gone'
            ? cloud.queueUrl('other').replace('other', 'gone')
            : cloud.queueUrl(queue)
        return ctx.send(url, { nth }, { delay: HOUR + nth * 1_000, name: `m${nth}`, ...grouped })
      })
      await Promise.all(sends)
    })
    cloud.send('orders', {})
    await cloud.deliver('orders', handler)
  }

  function counted(
    { clients }: DelayedCloud,
    onCall: (command: SendMessageBatchCommand) => void,
  ): SQSClient {
    const send = async (command: SendMessageBatchCommand): Promise<unknown> => {
      onCall(command)
      return clients.sqs.send(command)
    }
    return new Proxy(clients.sqs, {
      get: (client, name) => (name === 'send' ? send : (Reflect.get(client, name) as unknown)),
    })
  }

  it('sends thousands, ten in a call, with one read and one write for each', async () => {
    const cloud = delayedCloud()
    await stored(cloud, 2_000, 'reminders')
    cloud.clock.advance(3 * HOUR)
    const calls = { send: 0, read: 0, update: 0, due: 0 }
    const sqs = counted(cloud, () => void (calls.send += 1))
    const store: Store = {
      ...cloud.store,
      read: (keys, how) => ((calls.read += keys.length), cloud.store.read(keys, how)),
      update: (updates) => ((calls.update += updates.length), cloud.store.update(updates)),
      due: (query) => (
        (calls.due += query.statusShard.startsWith('later') ? 1 : 0),
        cloud.store.due(query)
      ),
    }
    const report = await cloud.sweep({ store, clients: { sqs } })
    expect(report.delayed).toEqual({ ...NOTHING, sent: 2_000 })
    // One more read tells where the search of the table goes on.
    expect(calls).toMatchObject({ read: 2_001, update: 2_000 })
    // Of the last page of a shard the last call is not full.
    expect(calls.send).toBeLessThanOrEqual(2_000 / 10 + 8)
    expect(calls.due).toBeLessThanOrEqual(2_000 / 50 + 2 * 8)
    const order = cloud.messages('reminders').map(({ payload }) => (payload as { nth: number }).nth)
    expect(new Set(order).size).toBe(2_000)
    expect(Math.max(...order.slice(0, 200))).toBeLessThan(1_000)
  })

  it('begins no further page when its time is nearly up, and the next run goes on', async () => {
    const cloud = delayedCloud()
    await stored(cloud, 1_000, 'reminders')
    cloud.clock.advance(3 * HOUR)
    const first = await cloud.sweep({}, { getRemainingTimeInMillis: () => 0 })
    expect(first.delayed).toMatchObject({ failed: 0, waiting: 0, notKnown: 0 })
    expect(first.delayed.sent).toBeGreaterThan(0)
    expect(first.delayed.sent).toBeLessThanOrEqual(8 * 50)
    const second = await cloud.sweep({}, { getRemainingTimeInMillis: () => 60_000 })
    expect(first.delayed.sent + second.delayed.sent).toBe(1_000)
  })

  it('sends to a FIFO queue when a message is due, not before, in the order of their times', async () => {
    const cloud = delayedCloud()
    await stored(cloud, 20, 'reminders.fifo')
    cloud.clock.advance(HOUR - 1)
    expect((await cloud.sweep()).delayed.sent).toBe(0)
    cloud.clock.advance(MINUTE)
    expect((await cloud.sweep()).delayed.sent).toBe(20)
    expect(cloud.messages('reminders.fifo')[0]).toMatchObject({ groupId: 'g', state: 'ready' })
  })

  it('goes on past a queue that refuses, which it asks no more than once a page', async () => {
    const cloud = delayedCloud()
    await stored(cloud, 100, 'gone')
    await stored(cloud, 10, 'reminders')
    cloud.clock.advance(3 * HOUR)
    const report = await cloud.sweep()
    expect(report.delayed).toEqual({ ...NOTHING, sent: 10, failed: 100 })
    const said = cloud.lines.filter(({ message }) =>
      message.startsWith('delayed messages were not sent'),
    )
    expect(said.length).toBeLessThanOrEqual(8)
    expect(said[0]).toMatchObject({
      level: 'error',
      fields: { queue: expect.stringContaining('gone') },
    })
    expect((await cloud.sweep()).delayed.failed).toBe(100)
  })

  it('sends the others of a call that SQS refuses as a whole for one message', async () => {
    const cloud = delayedCloud()
    await stored(cloud, 30, 'reminders')
    cloud.clock.advance(3 * HOUR)
    const sqs = counted(cloud, ({ input: { Entries = [] } }) => {
      if (!Entries.some(({ MessageBody }) => MessageBody === '{"nth":7}')) return
      throw Object.assign(new Error('not taken'), { name: 'InvalidMessageContents' })
    })
    expect((await cloud.sweep({ clients: { sqs } })).delayed).toEqual({
      ...NOTHING,
      sent: 29,
      failed: 1,
    })
  })

  it('reports for how long the oldest has been due, also when that is 0', async () => {
    const cloud = delayedCloud()
    await stored(cloud, 2, 'reminders')
    const reported: [string, number][] = []
    const metrics = {
      addDimension() {},
      addMetric: (name: string, _unit: string, value: number) => void reported.push([name, value]),
      publishStoredMetrics() {},
    }
    await cloud.sweep({ metrics })
    cloud.clock.advance(HOUR + 10 * MINUTE)
    await cloud.sweep({ metrics })
    const oldest = reported.filter(([name]) => name === 'oldestDelayed').map(([, value]) => value)
    expect(oldest).toEqual([0, 10 * MINUTE])
  })

  it('believes no index: what was sent since is not sent again', async () => {
    const cloud = delayedCloud()
    await stored(cloud, 1, 'reminders')
    cloud.clock.advance(2 * HOUR)
    const old = await Promise.all(
      Array.from({ length: 8 }, (_, n) =>
        cloud.store.due({ statusShard: `later#${n}`, until: Number.MAX_SAFE_INTEGER, most: 10 }),
      ),
    )
    await cloud.sweep()
    const stale: Store = {
      ...cloud.store,
      due: async (query) => {
        const [status, nth] = query.statusShard.split('#')
        return status === 'later'
          ? (old[Number(nth)] ?? cloud.store.due(query))
          : cloud.store.due(query)
      },
    }
    expect((await cloud.sweep({ store: stale })).delayed).toEqual(NOTHING)
    expect(cloud.messages('reminders')).toHaveLength(1)
  })
})
