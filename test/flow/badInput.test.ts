import { ConfigError, defineFlow, type Flow } from 'lineclear'
import type { LocalCloud } from 'lineclear/local'
import { memoryStore, sqsEvent, sqsRecord } from 'lineclear/testing'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { z } from 'zod'
import type { Answers, StagesOptions } from '../../src/library/entries/flow/options.ts'
import type { Item } from '../../src/library/protocol/store/store.ts'
import { lambdaContext } from '../deliver/lambdaContext.ts'
import { expectDeliveries, expectLastDelivery } from '../proof/hostile/expectDeliveries.ts'
import { expectHanded, expectMessages } from '../proof/hostile/expectHanded.ts'
import { notIn } from '../proof/hostile/mode.ts'
import { deliver, flowHarness, emptyAll, receive, send, startFlowCloud } from './flowHarness.ts'
import { Booking, counting, Quote, tripOn } from './trip.ts'

let cloud: LocalCloud
beforeAll(async () => {
  cloud = await startFlowCloud()
})
afterEach(() => emptyAll(cloud))
afterAll(() => cloud.stop())

const GOOD = {
  name: 'trip',
  store: memoryStore(),
  stages: { book: { schema: Booking } },
  key: ({ key }: { key: string }) => key,
}

describe('a definition', () => {
  it.each([
    ['no name', { ...GOOD, name: '' }, 'name: expected letters'],
    ['no stage', { ...GOOD, stages: {} }, 'stages: expected at least one stage'],
    [
      'a stage name with a separator',
      { ...GOOD, stages: { 'a:b': GOOD.stages.book } },
      'stages.a:b',
    ],
    ['a stage without a schema', { ...GOOD, stages: { book: {} } }, 'stages.book.schema'],
    [
      'an option that does not exist',
      { ...GOOD, keys: 1 },
      `"keys" is not known here: write 'key'`,
    ],
    [
      'an option of a stage that does not exist',
      { ...GOOD, stages: { book: { ...GOOD.stages.book, last: true } } },
      'stages.book: "last" is not known here: expected schema',
    ],
    ['no key', { ...GOOD, key: undefined }, 'key: expected a function'],
    ['a process that does not exist', { ...GOOD, process: 'oldest' }, "process: expected 'newest'"],
    [
      'a conflict rule that does not exist',
      { ...GOOD, onConflict: 'wait' },
      'onConflict: expected',
    ],
    [
      'giving up requests that each must run',
      { ...GOOD, process: 'every', onConflict: 'supersede' },
      "onConflict: expected 'defer' or 'drop'",
    ],
    ['an id without a time', { ...GOOD, id: () => 'x' }, 'sentAt: expected a function beside id'],
    [
      'a step named as a stage',
      { ...GOOD, awaitingSteps: { book: { schema: Quote, id: () => '' } } },
      'awaitingSteps.book: expected a name that no stage has',
    ],
    [
      'a step without an id',
      { ...GOOD, awaitingSteps: { q: { schema: Quote } } },
      'awaitingSteps.q.id',
    ],
    [
      'a queue that is no URL',
      { ...GOOD, stages: { book: { ...GOOD.stages.book, queueUrl: 'book' } } },
      'queueUrl: expected the URL of a queue',
    ],
    [
      'a queue whose environment variable is missing',
      { ...GOOD, stages: { book: { ...GOOD.stages.book, queueUrl: undefined } } },
      'stages.book.queueUrl: expected the URL of a queue (is its environment variable set?',
    ],
    [
      'a dead-letter queue whose environment variable is missing',
      {
        ...GOOD,
        awaitingSteps: { q: { schema: Quote, id: () => '', deadLetterQueueUrl: undefined } },
      },
      'awaitingSteps.q.deadLetterQueueUrl: expected the URL of a queue',
    ],
    [
      'a retention that is too short',
      { ...GOOD, retention: '1h' },
      'retention: expected at least 1 day',
    ],
  ])('with %s is refused at once, by name', (_what, options, text) => {
    const define: (options: never) => unknown = defineFlow
    expect(() => define(options as never)).toThrow(ConfigError)
    expect(() => define(options as never)).toThrow(text)
  })

  it('has no handler for a stage or a step that it does not know', () => {
    const flow = defineFlow(GOOD)
    const handle: (stage: never, handler: never) => unknown = flow.stageHandler
    expect(() => handle('pay' as never, (() => {}) as never)).toThrow(
      "stageHandler('pay'): there is none",
    )
    expect(() => handle('book' as never, undefined as never)).toThrow('expected a function')
    const answerHandler: (step: never, handler: never) => unknown = flow.answerHandler
    expect(() => answerHandler('q' as never, (() => {}) as never)).toThrow('there are: none')
  })
})

describe('a message', () => {
  const RUN = { name: 'trip', key: 'k', id: 'r1', epoch: 1, sentAt: 1, from: 'book' }
  const inRun = (run: object) => ({
    lineclear: { type: 'String', value: JSON.stringify({ format: 1, flow: { ...RUN, ...run } }) },
  })

  it.each([
    ['with an empty key', 'book', { key: '' }, {}, 'key(payload) gave an empty text'],
    ['with half a character in its key', 'book', { key: 'k\ud800' }, {}, 'half a character'],
    ['that is not JSON', 'book', 'nonsense', {}, 'not JSON'],
    ['that the schema refuses', 'book', { key: 1 }, {}, 'the schema refuses'],
    [
      'of a later stage that no stage has sent',
      'ship',
      { key: 'k' },
      {},
      "has to be sent by a stage of flow 'trip'",
    ],
    ['of another flow', 'ship', { key: 'k' }, inRun({ name: 'tour' }), "of flow 'tour' has come"],
    [
      'for a step without its id',
      'quotes',
      { quoteId: '', price: 1 },
      {},
      'awaitingSteps.quote.id(payload)',
    ],
    [
      'for a step with half a character in its id',
      'quotes',
      { quoteId: 'q\ud800', price: 1 },
      {},
      'half a character',
    ],
  ] as const)(
    '%s is dead-lettered with the reason, alone',
    async (_what, queue, body, attributes, text) => {
      const harness = flowHarness(cloud)
      const trip = tripOn(cloud, harness)
      const handlers = {
        book: trip.stageHandler('book', () => {}),
        ship: trip.stageHandler('ship', () => {}),
        quotes: trip.answerHandler('quote', () => {}),
      }
      const queueArn = cloud.queueArn(queue)
      const bad = sqsRecord(body, { attributes, queueArn })
      const response = await handlers[queue]({ Records: [bad] }, lambdaContext())
      expect(response).toEqual({ batchItemFailures: [] })
      expectDeliveries(harness.settled, [{ kind: 'deadLettered', reason: 'rejected' }])
      const [deadLetter] = await receive(cloud, 'dead')
      expect(deadLetter?.messageAttributes['lineclear']?.stringValue).toContain(
        text.replaceAll('"', ''),
      )
    },
  )

  it.each([
    ['throws', (): unknown => JSON.parse('{')],
    ['is no text', (): unknown => 7],
  ])('whose key %s is dead-lettered, and the others of its batch run', async (_what, bad) => {
    const harness = flowHarness(cloud)
    const ran: string[] = []
    const options = {
      name: 'odd',
      stages: { one: { schema: z.object({ key: z.string() }) } },
      ...harness.options,
      key: ({ key }: { key: string }): unknown => (key === 'bad' ? bad() : key),
    }
    const define: (given: never) => Flow<StagesOptions, Answers> = defineFlow
    const handler = define(options as never).stageHandler('one', (_payload, ctx) =>
      ran.push(ctx.key),
    )
    const queueArn = cloud.queueArn('book')
    const records = ['a', 'bad', 'b'].map((each) => sqsRecord({ key: each }, { queueArn }))
    expect(await handler({ Records: records }, lambdaContext())).toEqual({ batchItemFailures: [] })
    expect(ran.toSorted()).toEqual(['a', 'b'])
    expectMessages(await receive(cloud, 'dead'), 1)
  })

  describe('that says when it was made', () => {
    const HOUR = 3_600_000
    /** The end of a message made `at`, with the SQS time `sentAt`; both milliseconds after the clock of the test. */
    const comes = async (at: number, sentAt: number) => {
      const harness = flowHarness(cloud)
      const now = harness.clock.now()
      const flow = defineFlow({
        name: 'timed',
        stages: { one: { schema: z.object({ key: z.string(), at: z.number() }) } },
        ...harness.options,
        key: ({ key }) => key,
        sentAt: (payload) => payload.at,
      })
      const one = flow.stageHandler('one', () => {})
      const queueArn = cloud.queueArn('book')
      const record = sqsRecord({ key: 'k', at: now + at }, { queueArn, sentAt: now + sentAt })
      await one({ Records: [record] }, lambdaContext())
      return harness.settled
    }

    it('in the future would make all later ones stale, and is dead-lettered', async () => {
      expectDeliveries(await comes(HOUR, 0), [{ kind: 'deadLettered', reason: 'rejected' }])
      const [deadLetter] = await receive(cloud, 'dead')
      expect(deadLetter?.messageAttributes['lineclear']?.stringValue).toContain(
        'at most 5 minutes ahead',
      )
    })

    it('is believed when SQS had it by then, though our clock is an hour slow', async () => {
      expectDeliveries(await comes(HOUR - 1, HOUR), ['completed'])
    })
  })

  it('with a key of any length runs', async () => {
    const harness = flowHarness(cloud)
    const trip = tripOn(cloud, harness)
    const book = trip.stageHandler('book', () => {})
    await trip.start({ key: 'k'.repeat(10_000) })
    await deliver(cloud, 'book', book)
    expectDeliveries(harness.settled, ['completed'])
    // The table takes 2 KB.
    const isLong = ({ pk }: Item): boolean => typeof pk === 'string' && pk.length > 1_024
    expect(harness.store.items().some(isLong)).toBe(false)
  })

  it('whose stage a newer version takes over stays on the queue', async () => {
    const harness = flowHarness(cloud)
    const trip = tripOn(cloud, harness)
    const book = trip.stageHandler('book', (_booking, ctx) => ctx.next('ship', { key: ctx.key }))
    const ship = trip.stageHandler('ship', () => {
      const key = { pk: 'flow#trip/k', sk: 'stage' }
      return harness.store.update([{ key, where: [], set: { 'stage:ship': 'paused 1 2 3' } }])
    })
    await trip.start({ key: 'k' })
    await deliver(cloud, 'book', book)
    const received = await receive(cloud, 'ship')
    // The next test must not see it: what is on the queue stays hidden.
    const Records = received.map((record) => ({ ...record, receiptHandle: 'none' }))
    const { batchItemFailures } = await ship({ Records }, lambdaContext())
    expect(batchItemFailures).toHaveLength(received.length)
  })

  it('whose stage record a newer version has written stays on the queue, and is not run', async () => {
    const harness = flowHarness(cloud)
    const trip = tripOn(cloud, harness)
    let runs = 0
    const book = trip.stageHandler('book', () => {
      runs += 1
    })
    const key = { pk: 'flow#trip/k', sk: 'stage' }
    await harness.store.create([{ ...key, epoch: 3, fence: 4 }])
    await harness.store.update([{ key, where: [], set: { format: 2 } }])
    await send(cloud, 'book', { key: 'k' })
    expectHanded(await deliver(cloud, 'book', book), { came: 1, kept: 1 })
    expect(runs).toBe(0)
    expect(JSON.stringify(harness.lines).includes('newer version')).toBe(true)
  })

  it('whose handler sends what the next stage refuses has that dead-lettered at once, and its run ends', async () => {
    const harness = flowHarness(cloud)
    const trip = tripOn(cloud, harness)
    const book = trip.stageHandler('book', (_booking, ctx) =>
      ctx.next('pay', { key: ctx.key, price: 'much' as never }),
    )
    const pay = trip.stageHandler('pay', () => {})
    await trip.start({ key: 'k' })
    await deliver(cloud, 'book', book)
    await deliver(cloud, 'pay', pay)
    expectLastDelivery(harness.settled, { kind: 'deadLettered', reason: 'rejected' })
    expect(harness.record()).not.toHaveProperty('uniquerequestid')
  })

  it('that awaits what a newer version has written is tried again, and asks for nothing', async () => {
    const harness = flowHarness(cloud)
    const trip = tripOn(cloud, harness)
    let asked = 0
    const book = trip.stageHandler('book', (_booking, ctx) =>
      ctx.awaitStep('quote', 'q1', () => (asked += 1)),
    )
    const key = { pk: 'flow#trip/k', sk: 'await#quote#r1' }
    await harness.store.create([key])
    await harness.store.update([{ key, where: [], set: { format: 2 } }])
    await trip.start({ key: 'k' }, { uniqueRequestId: 'r1' })
    await deliver(cloud, 'book', book)
    expect(asked).toBe(0)
    expectDeliveries(harness.settled, ['resent'])
  })

  it('for a step that a newer version has written stays on the queue, however long', async () => {
    const harness = flowHarness(cloud)
    const trip = tripOn(cloud, harness)
    const book = trip.stageHandler('book', (_booking, ctx) =>
      ctx.awaitStep('quote', 'q1', () => {}),
    )
    const quote = trip.answerHandler('quote', () => {})
    await trip.start({ key: 'k' }, { uniqueRequestId: 'r1' })
    await deliver(cloud, 'book', book)
    const key = { pk: 'flow#trip/k', sk: 'await#quote#r1' }
    await harness.store.update([{ key, where: [], set: { 'step:new': 'of another form' } }])
    await send(cloud, 'quotes', { quoteId: 'q1', price: 5 })
    harness.clock.advance(6 * 3_600_000)
    await deliver(cloud, 'quotes', quote)
    expect(await receive(cloud, 'dead')).toEqual([])
    expectLastDelivery(harness.settled, { kind: 'failed' })
  })

  it('of another event source is a mistake in the set-up', async () => {
    const trip = tripOn(cloud, flowHarness(cloud))
    const book = trip.stageHandler('book', () => {})
    await expect(book({ Records: [{} as never] }, lambdaContext())).rejects.toThrow(ConfigError)
  })
})

describe('a handler', () => {
  it.each([
    ['sends to no stage', (ctx: never) => call(ctx, 'next', 'nowhere', {}), 'no such stage'],
    [
      'sends to the first stage',
      (ctx: never) => call(ctx, 'next', 'book', { key: 'k' }),
      'runs once in a run',
    ],
    [
      'sends to one stage twice',
      async (ctx: never) => {
        await call(ctx, 'next', 'ship', { key: 'k' })
        await call(ctx, 'next', 'ship', { key: 'k' })
      },
      'runs once in a run',
    ],
    [
      'awaits no step',
      (ctx: never) => call(ctx, 'awaitStep', 'nothing', 'q', () => {}),
      'no such step',
    ],
    [
      'awaits no id',
      (ctx: never) => call(ctx, 'awaitStep', 'quote', [], () => {}),
      'one or more ids',
    ],
    [
      'awaits half a character',
      (ctx: never) => call(ctx, 'awaitStep', 'quote', 'q\ud800', () => {}),
      'of whole characters',
    ],
    [
      'needs more answers than it asks for',
      (ctx: never) => call(ctx, 'awaitStep', 'quote', ['q'], () => {}, { need: 2 }),
      'from 1 to 1',
    ],
    [
      'awaits one step twice',
      async (ctx: never) => {
        await call(ctx, 'awaitStep', 'quote', 'q1', () => {})
        await call(ctx, 'awaitStep', 'quote', 'q2', () => {})
      },
      'called twice; give all ids at once',
    ],
    [
      'sends what belongs to another key',
      (ctx: never) => call(ctx, 'next', 'ship', { key: 'other' }),
      "the payload is of key 'other'",
    ],
  ])(
    'that %s gets an error that says so, and its record is retried or dead-lettered',
    notIn(['killed'], 'being killed costs attempts, and it counts them'),
    async (_what, work, text) => {
      const harness = flowHarness(cloud)
      const trip = tripOn(cloud, harness, { retry: { maxAttempts: 1 } })
      const book = trip.stageHandler('book', async (_booking, ctx) => {
        await work(ctx as never)
      })
      await trip.start({ key: 'k' })
      await deliver(cloud, 'book', book)
      expectDeliveries(harness.settled, [{ kind: 'deadLettered' }])
      const [deadLetter] = await receive(cloud, 'dead')
      expect(deadLetter?.messageAttributes['lineclear']?.stringValue).toContain(text)
      expect(await receive(cloud, 'ship')).toEqual([])
    },
  )

  it(
    'of a final stage cannot hand on',
    notIn(['killed'], 'being killed costs attempts, and it counts them'),
    async () => {
      const harness = flowHarness(cloud)
      const trip = tripOn(cloud, harness, { retry: { maxAttempts: 1 } })
      const book = trip.stageHandler('book', (_booking, ctx) => ctx.next('ship', { key: ctx.key }))
      const ship = trip.stageHandler('ship', async (_shipping, ctx) => {
        await call(ctx as never, 'next', 'pay', {})
      })
      await trip.start({ key: 'k' })
      await deliver(cloud, 'book', book)
      await deliver(cloud, 'ship', ship)
      const [deadLetter] = await receive(cloud, 'dead')
      expect(deadLetter?.messageAttributes['lineclear']?.stringValue).toContain("'ship' is final")
    },
  )

  it('gets an error that names the queue that is not set', async () => {
    const harness = flowHarness(cloud)
    const flow = defineFlow({
      name: 'unset',
      stages: {
        one: { schema: z.object({ key: z.string() }) },
        two: { schema: z.object({ key: z.string() }) },
      },
      ...harness.options,
      key: ({ key }) => key,
    })
    let error: unknown
    const one = flow.stageHandler('one', async (_payload, ctx) => {
      error = await ctx.next('two', { key: 'k' }).catch((error: unknown) => error)
    })
    await one(sqsEvent({ key: 'k' }), lambdaContext())
    expect(String(error)).toContain(
      'stages.two.queueUrl is not set; is its environment variable missing',
    )
    await expect(flow.start({ key: 'k' })).rejects.toThrow(
      'stages.one.queueUrl is not set (is its environment variable set?). Nothing was sent.',
    )
  })

  it('is not started with what the first stage would refuse', async () => {
    const trip = tripOn(cloud, flowHarness(cloud))
    const payment = { key: 'k', n: 'five' } as never
    await expect(trip.start(payment)).rejects.toThrow(
      /^defineFlow\('trip'\)\.start: stage 'book' would refuse it: the schema refuses the payload: n: .*Nothing was sent\.$/,
    )
    await expect(trip.start({ key: 'k', n: Number.NaN })).rejects.toMatchObject({ code: 'CONFIG' })
    expect(cloud.inspectQueue('book').ready).toEqual([])
  })
})

describe('clocks an hour apart', () => {
  it.each([3_600_000, -3_600_000])('by %i ms may delay, and never double', async (skew) => {
    const harness = flowHarness(cloud)
    const trip = tripOn(cloud, harness, { onConflict: 'supersede' })
    const skewed = { ...harness.clock, now: () => harness.clock.now() + skew }
    const other = tripOn(cloud, { ...harness, options: { ...harness.options, clock: skewed } })
    const book = trip.stageHandler('book', async (_booking, ctx) => {
      await ctx.write('seat', counting('seats'))
      await ctx.next('ship', { key: ctx.key })
    })
    const ship = other.stageHandler('ship', (_shipping, ctx) =>
      ctx.write('parcel', counting('parcels')),
    )
    await trip.start({ key: 'k' })
    await deliver(cloud, 'book', book)
    await deliver(cloud, 'ship', ship)
    expect(['seats', 'parcels'].map(harness.count)).toEqual([1, 1])
    expect(harness.record()).not.toHaveProperty('uniquerequestid')
  })
})

/** As plain JavaScript would call it. */
function call(ctx: never, method: string, ...given: readonly unknown[]): Promise<unknown> {
  const methods: Readonly<Record<string, (...args: readonly unknown[]) => Promise<unknown>>> = ctx
  return methods[method]?.(...given) ?? Promise.reject(new Error(`no ${method}`))
}
