import {
  defineFlow,
  idempotent,
  lockTokens,
  onceForever,
  type RecordContext,
  recordHandler,
} from 'lineclear'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { z } from 'zod'
import type { Item, Store, StoreKey } from '../../../src/library/protocol/store/store.ts'
import {
  type DelayedCloud,
  delayedCloud,
  HOUR,
  MINUTE,
  startEngine,
} from '../../features/delay/delayedCloud.ts'

/** A deployment that is under way: the next version has written one item or message, and this version meets it. */

let engine: Awaited<ReturnType<typeof startEngine>>
beforeAll(async () => {
  engine = await startEngine()
})
afterAll(() => engine.stop())

const STORES: readonly (readonly [string, () => Promise<DelayedCloud>])[] = [
  ['in memory', async () => delayedCloud()],
  ['on DynamoDB', () => engine.cloud()],
]

/** The next version changes an item of this one: from then on this one can neither read nor write it. */
async function raise(store: Store, ...keys: readonly StoreKey[]): Promise<void> {
  const outcomes = await store.update(
    keys.map((key) => ({ key: keyOf(key), where: [], set: { format: 2 } })),
  )
  expect(outcomes.map(({ kind }) => kind)).toEqual(keys.map(() => 'applied'))
  expect(await kindsOf(store, keys)).toEqual(keys.map(() => 'notKnown'))
}

function keyOf({ pk, sk }: StoreKey): StoreKey {
  return { pk, sk }
}

async function kindsOf(store: Store, keys: readonly StoreKey[]): Promise<readonly string[]> {
  const read = await store.read(keys.map(keyOf), { consistent: true })
  return read.map(({ kind }) => kind)
}

/** Which messages are where, without what a receipt changes. */
const left = (cloud: DelayedCloud, ...queues: readonly string[]) =>
  queues.flatMap((queue) => cloud.messages(queue).map(({ payload }) => [queue, payload]))

function expectSaid(cloud: DelayedCloud, format = 2): void {
  const said = cloud.lines.map((line) => JSON.stringify(line))
  const about = said.filter((line) => line.includes(`has format ${format}, and this version`))
  expect(about).not.toEqual([])
  expect(about[0]).toContain('a newer version has written it')
  expect(about[0]).toContain('Deploy the newer version to this function')
}

const TOKEN = (id: string): StoreKey => ({ pk: `lock#orders/${id}`, sk: 'token' })
const Order = z.object({ id: z.string() })

function orders(
  cloud: DelayedCloud,
  work: (order: z.infer<typeof Order>, ctx: RecordContext) => unknown,
) {
  const { store, clients, clock, logger, delays } = cloud.options
  const common = { store, clients, clock, logger, delays } as object
  return recordHandler(
    { ...(common as { store: Store }), name: 'orders', schema: Order, id: ({ id }) => id },
    work as never,
  )
}

describe.each(STORES)('an item of a newer version, %s', (_where, open) => {
  it('is the token of a record that waits for its retry: the record stays', async () => {
    const cloud = await open()
    const runs: string[] = []
    const handler = orders(cloud, ({ id }) => {
      runs.push(id)
      throw new Error('not yet')
    })
    cloud.send('orders', { id: 'a' })
    await cloud.deliver('orders', handler)
    await raise(cloud.store, TOKEN('a'))
    cloud.clock.advance(HOUR)
    expect(await cloud.deliver('orders', handler)).toMatchObject({ returned: 1 })
    expect(runs).toEqual(['a'])
    expect(left(cloud, 'orders', 'dead')).toEqual([['orders', { id: 'a' }]])
    expect(await kindsOf(cloud.store, [TOKEN('a')])).toEqual(['notKnown'])
    expectSaid(cloud)
  })

  it('is the token of a record that comes for the first time here: it is hidden longer each time, and never runs', async () => {
    const cloud = await open()
    let runs = 0
    const handler = orders(cloud, () => (runs += 1))
    await cloud.store.create([{ ...TOKEN('a'), status: 'of tomorrow' }])
    await raise(cloud.store, TOKEN('a'))
    cloud.send('orders', { id: 'a' })
    const hidden: number[] = []
    for (let receipt = 0; receipt < 8; receipt++) {
      const now = cloud.clock.now()
      expect(await cloud.deliver('orders', handler)).toMatchObject({ returned: 1 })
      const [message] = cloud.messages('orders')
      hidden.push(Math.round((Number(message?.visibleAt) - now) / MINUTE))
      cloud.clock.set(Number(message?.visibleAt))
    }
    expect([runs, hidden]).toEqual([0, [1, 2, 4, 8, 16, 32, 60, 60]])
    expect(cloud.messages('dead')).toEqual([])
  })

  it('is one of a batch: the others are done, and the batch does not fail for it', async () => {
    const cloud = await open()
    const ids = Array.from({ length: 8 }, (_, nth) => `o${nth}`)
    let isBack = false
    const runs: string[] = []
    const handler = orders(cloud, ({ id }) => {
      if (!isBack) throw new Error('not yet')
      runs.push(id)
    })
    for (const id of ids) cloud.send('orders', { id })
    await cloud.deliver('orders', handler)
    const newer = ids.filter((_, nth) => nth % 2 === 0)
    await raise(cloud.store, ...newer.map(TOKEN))
    isBack = true
    cloud.clock.advance(HOUR)
    const handed = await cloud.deliver('orders', handler)
    expect(handed).toMatchObject({ acknowledged: 4, returned: 4 })
    expect(runs.toSorted()).toEqual(ids.filter((id) => !newer.includes(id)))
    expect(await kindsOf(cloud.store, newer.map(TOKEN))).toEqual(newer.map(() => 'notKnown'))
  })

  it('is written over the claim of an attempt that runs: it can write nothing more, and its record stays', async () => {
    const cloud = await open()
    const seen: unknown[] = []
    const handler = orders(cloud, async ({ id }, ctx) => {
      await raise(cloud.store, TOKEN(id))
      const call = ctx.call('pay', () => void seen.push('called'), { ifUnknown: 'stop' })
      await call.catch(({ code }: { code: unknown }) => seen.push(code))
    })
    cloud.send('orders', { id: 'a' })
    expect(await cloud.deliver('orders', handler)).toMatchObject({ returned: 1 })
    expect(seen).toEqual(['UNKNOWN_FORMAT'])
    expect(left(cloud, 'orders', 'dead')).toEqual([['orders', { id: 'a' }]])
    expectSaid(cloud)
  })

  it('is the record of a dead letter: its redrive stays on the queue', async () => {
    const cloud = await open()
    const handler = recordHandler(
      {
        ...cloud.options,
        name: 'orders',
        id: ({ id }: { id: string }) => id,
        retry: { maxAttempts: 1 },
      } as never,
      () => {
        throw new Error('no')
      },
    )
    cloud.send('orders', { id: 'a' })
    await cloud.deliver('orders', handler)
    expect(left(cloud, 'orders', 'dead')).toEqual([['dead', { id: 'a' }]])
    await raise(cloud.store, TOKEN('a'))
    expect(await cloud.deliver('dead', handler)).toMatchObject({ returned: 1 })
    expect(cloud.messages('dead')).toHaveLength(1)
  })

  const Step = z.object({ key: z.string() })
  function trip(cloud: DelayedCloud, ran: string[] = []) {
    const flow = defineFlow({
      ...cloud.options,
      name: 'trip',
      key: ({ key }) => key,
      stages: {
        book: { schema: Step, queueUrl: cloud.queueUrl('book') },
        ship: { schema: Step, queueUrl: cloud.queueUrl('ship'), final: true },
      },
      awaitingSteps: {
        quote: {
          schema: z.object({ quote: z.string() }),
          id: ({ quote }) => quote,
          queueUrl: cloud.queueUrl('other'),
        },
      },
    })
    return {
      start: () => flow.start({ key: 'k' }, { uniqueRequestId: 'r1' }),
      book: flow.stageHandler('book', async (_, ctx) => {
        ran.push('book')
        await ctx.awaitStep('quote', 'q1', () => {})
      }),
      quoted: flow.answerHandler('quote', async (_, ctx) => {
        ran.push('quote')
        await ctx.next('ship', { key: ctx.key })
      }),
      ship: flow.stageHandler('ship', () => void ran.push('ship')),
    }
  }
  const RECORD: StoreKey = { pk: 'flow#trip/k', sk: 'stage' }
  const STEP: StoreKey = { pk: 'flow#trip/k', sk: 'await#quote#r1' }
  const WAITERS: StoreKey = { pk: 'await#trip/quote/q1', sk: 'waiters' }

  it('is the record of a flow: no stage of it begins, and no other request takes its key', async () => {
    const cloud = await open()
    const ran: string[] = []
    const { start, book } = trip(cloud, ran)
    await start()
    await cloud.deliver('book', book)
    await raise(cloud.store, RECORD)
    await start()
    cloud.send('book', { key: 'k' })
    expect(await cloud.deliver('book', book)).toMatchObject({ acknowledged: 0, returned: 2 })
    expect(ran).toEqual(['book'])
    expect(cloud.messages('dead')).toEqual([])
    expectSaid(cloud)
  })

  it.each([
    ['the step', STEP],
    ['the list of those who wait', WAITERS],
    ['the record', RECORD],
  ])('is %s that an answer is for: the answer stays on its queue', async (_what, key) => {
    const cloud = await open()
    const ran: string[] = []
    const { start, book, quoted } = trip(cloud, ran)
    await start()
    await cloud.deliver('book', book)
    await raise(cloud.store, key)
    cloud.send('other', { quote: 'q1' })
    expect(await cloud.deliver('other', quoted)).toMatchObject({ returned: 1 })
    expect(ran).toEqual(['book'])
    expect(left(cloud, 'other', 'ship', 'dead')).toEqual([['other', { quote: 'q1' }]])
    expect(await kindsOf(cloud.store, [key])).toEqual(['notKnown'])
  })

  it('is the result of an outside call: the call is not made again', async () => {
    const cloud = await open()
    let calls = 0
    let fails = true
    const flow = defineFlow({
      ...cloud.options,
      name: 'trip',
      key: ({ key }: { key: string }) => key,
      stages: { book: { schema: Step, queueUrl: cloud.queueUrl('book'), final: true } },
    })
    const book = flow.stageHandler('book', async (_, ctx) => {
      await ctx.call('pay', () => (calls += 1))
      if (fails) throw new Error('not yet')
    })
    await flow.start({ key: 'k' }, { uniqueRequestId: 'r1' })
    await cloud.deliver('book', book)
    const answers = await itemsOf(cloud.store, 'flow#trip/k', 'answer#r1')
    await raise(cloud.store, ...answers)
    fails = false
    cloud.clock.advance(HOUR)
    await cloud.deliver('book', book)
    expect([calls, cloud.messages('dead')]).toEqual([1, []])
    expect(cloud.messages('book')).toHaveLength(1)
  })

  it('is a key: a call, a lock and an event of it fail, can be made again, and run nothing', async () => {
    const cloud = await open()
    const { store, clock, logger, clients } = cloud.options
    const common = { store, clock, logger }
    let runs = 0
    const charge = idempotent(
      { ...common, name: 'charge', key: (id: string) => id, hash: 'plain' },
      async (_id: string) => (runs += 1),
    )
    const locks = lockTokens({ ...common, name: 'locks' })
    const events = onceForever({ ...common, name: 'events', clients })
    await charge('a')
    await locks.begin('a', 'me', MINUTE)
    await events.acquire('a')
    const keys = [
      { pk: 'key#charge/a', sk: 'token' },
      { pk: 'key#locks/a', sk: 'token' },
      ...(await itemsOf(store, 'once#events/a', 'once')),
    ]
    await raise(store, ...keys)
    const newer = { code: 'UNKNOWN_FORMAT', message: expect.stringContaining('has format 2') }
    await expect(charge('a')).rejects.toMatchObject(newer)
    await expect(locks.begin('a', 'me', MINUTE)).rejects.toMatchObject(newer)
    await expect(events.acquire('a')).rejects.toMatchObject(newer)
    await expect(
      events.thenEnqueue('a', { a: 1 }, { queueUrl: cloud.queueUrl('other') }),
    ).rejects.toMatchObject(newer)
    expect([runs, cloud.messages('other')]).toEqual([1, []])
    expect(await kindsOf(store, keys)).toEqual(keys.map(() => 'notKnown'))
  })

  it('is what the sweeper finds: it is left alone, and counted as such', async () => {
    const cloud = await open()
    const handler = orders(cloud, () => {
      throw new Error('not yet')
    })
    cloud.send('orders', { id: 'a' })
    await cloud.deliver('orders', handler)
    const { start, book } = trip(cloud)
    await start()
    await cloud.deliver('book', book)
    cloud.send('orders', { id: 'later' })
    await cloud.deliver('orders', cloud.reminding('1h'))
    const [row] = await cloud.waiting()
    const keys = [TOKEN('a'), RECORD, STEP, row as Item & StoreKey]
    await raise(cloud.store, ...keys)
    cloud.clock.advance(60 * 24 * HOUR)
    const report = await cloud.sweep()
    expect(report).toMatchObject({ freed: 0, overdue: 0, waiting: 0, failed: 0, reminded: 0 })
    expect(report.notKnown).toBeGreaterThan(0)
    expect(report.delayed).toEqual({ sent: 0, waiting: 0, notKnown: 1, failed: 0 })
    expect(cloud.messages('reminders')).toEqual([])
    expect(await kindsOf(cloud.store, keys)).toEqual(keys.map(() => 'notKnown'))
    expectSaid(cloud)
  })
})

/** The keys of a partition, as far as the test knows how they begin. */
async function itemsOf(store: Store, pk: string, prefix: string): Promise<readonly StoreKey[]> {
  const { source } = store
  const all =
    'items' in store
      ? (store as Store & { items(): readonly Item[] }).items()
      : await (async () => {
          const { dynamoDbReader } = await import('../../../src/tools/operator/aws/tableReader.ts')
          if (source === undefined) throw new Error('no table')
          const reader = dynamoDbReader({
            tableName: source.tableName,
            client: await source.client(),
          })
          return reader.partition(pk)
        })()
  const keys = all.map(skOf).filter((sk, nth) => all[nth]?.['pk'] === pk && sk.startsWith(prefix))
  expect(keys).not.toEqual([])
  return keys.map((sk) => ({ pk, sk }))
}

describe('a message of a newer version', () => {
  const packed = (fields: object) => ({ lineclear: JSON.stringify({ format: 2, ...fields }) })

  it('stays on its queue, hidden, and is neither run nor dead-lettered', async () => {
    const cloud = delayedCloud()
    let runs = 0
    const handler = orders(cloud, () => (runs += 1))
    cloud.send(
      'orders',
      { id: 'a' },
      { attributes: { uniquerequestid: 'a', ...packed({ next: 1 }) } },
    )
    cloud.send('orders', { id: 'b' })
    expect(await cloud.deliver('orders', handler)).toMatchObject({ acknowledged: 1, returned: 1 })
    expect(runs).toBe(1)
    const [message] = cloud.messages('orders')
    expect(message?.visibleAt).toBe(cloud.clock.now() + MINUTE)
    expect([cloud.messages('dead'), cloud.store]).toMatchObject([[], {}])
    expectSaid(cloud)
  })

  it.each([
    ['no number', '{"resendNumber":3,"death":1}'],
    ['a number below 1', '{"format":0,"death":1}'],
    ['a number in a text', '{"format":"2","death":1}'],
    ['text that is not ours', 'yes'],
  ])('is not what has %s: it is left out, and the message runs', async (_what, lineclear) => {
    const cloud = delayedCloud()
    let runs = 0
    const handler = orders(cloud, () => (runs += 1))
    cloud.send('orders', { id: 'a' }, { attributes: { lineclear } })
    expect(await cloud.deliver('orders', handler)).toMatchObject({ acknowledged: 1 })
    expect(runs).toBe(1)
  })
})

it('a field that this version does not know is kept in an item, and ignored in a message', async () => {
  let plain: Store | undefined
  const cloud = delayedCloud(({ store }) => (plain = store))
  let fails = true
  const handler = orders(cloud, () => {
    if (fails) throw new Error('not yet')
  })
  const lineclear = JSON.stringify({ format: 1, resendNumber: 0, hops: 0, colour: 'blue' })
  cloud.send('orders', { id: 'a' }, { attributes: { lineclear } })
  await cloud.deliver('orders', handler)
  await plain?.update([{ key: TOKEN('a'), where: [], set: { colour: 'blue' } }])
  fails = false
  cloud.clock.advance(HOUR)
  await cloud.deliver('orders', handler)
  const [read] = await cloud.store.read([TOKEN('a')])
  expect(read).toMatchObject({ kind: 'found', item: { colour: 'blue', format: 1 } })
  expect(read).not.toHaveProperty('item.status')
})

function skOf({ sk }: Item): string {
  return typeof sk === 'string' ? sk : ''
}
