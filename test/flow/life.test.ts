import {
  StaleError,
  SupersededError,
  sweepHandler,
  TerminalError,
  UnknownOutcomeError,
} from 'lineclear'
import type { LocalCloud } from 'lineclear/local'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { expectDeliveries, expectLastDelivery } from '../proof/hostile/expectDeliveries.ts'
import { expectHanded, expectMessages } from '../proof/hostile/expectHanded.ts'
import { withoutRepeats } from '../proof/hostile/withoutRepeats.ts'
import { inCalm, notIn } from '../proof/hostile/mode.ts'
import {
  deliver,
  flowHarness,
  emptyAll,
  hand,
  receive,
  send,
  sendCopy,
  startFlowCloud,
} from './flowHarness.ts'
import { counting, tripOn } from './trip.ts'

let cloud: LocalCloud
beforeAll(async () => {
  cloud = await startFlowCloud()
})
afterEach(() => emptyAll(cloud))
afterAll(() => cloud.stop())

/** Longer than any lease of these tests. */
const LEASE_OVER = 60_000

describe('the life of a run', () => {
  it('goes from stage to stage, and the key is free after the last effect only', async () => {
    const harness = flowHarness(cloud)
    const trip = tripOn(cloud, harness)
    const seen: unknown[] = []
    const book = trip.stageHandler('book', async (_booking, ctx) => {
      await ctx.write('seat', counting('seats'))
      await ctx.next('pay', { key: ctx.key, price: 5 })
    })
    const pay = trip.stageHandler('pay', async ({ price }, ctx) => {
      seen.push(harness.record()?.['uniquerequestid'])
      await ctx.write('seat', counting('payments'))
      await ctx.next('ship', { key: ctx.key })
      seen.push(price)
    })
    const ship = trip.stageHandler('ship', async (_shipping, ctx) => {
      seen.push(harness.record()?.['uniquerequestid'], ctx.uniqueRequestId)
      await ctx.write('parcel', counting('parcels'))
    })
    await trip.start({ key: 'k' }, { uniqueRequestId: 'r1' })
    await deliver(cloud, 'book', book)
    await deliver(cloud, 'pay', pay)
    expect(harness.record()).toMatchObject({ uniquerequestid: 'r1', epoch: 1 })
    await deliver(cloud, 'ship', ship)
    inCalm('runs', () => expect(seen).toEqual(['r1', 5, 'r1', 'r1']))
    expect(['seats', 'payments', 'parcels'].map(harness.count)).toEqual([1, 1, 1])
    const record = harness.record()
    expect(record).toMatchObject({ epoch: 2, newest: expect.stringMatching(/#r1$/) })
    expect(Object.keys(record ?? {}).filter((name) => name.startsWith('stage:'))).toEqual([])
    expect(record).not.toHaveProperty('uniquerequestid')
    expectDeliveries(harness.settled, ['completed', 'completed', 'completed'])
  })

  it('drops every redelivered message as a duplicate, during the run and after it', async () => {
    const harness = flowHarness(cloud)
    const trip = tripOn(cloud, harness)
    const book = trip.stageHandler('book', async (_booking, ctx) => {
      await ctx.write('seat', counting('seats'))
      await ctx.next('ship', { key: ctx.key })
    })
    const ship = trip.stageHandler('ship', (_shipping, ctx) =>
      ctx.write('parcel', counting('parcels')),
    )
    await trip.start({ key: 'k' }, { uniqueRequestId: 'r1' })
    const [first] = await receive(cloud, 'book')
    if (first === undefined) throw new Error('nothing came')
    await hand(cloud, 'book', [first], book)
    await sendCopy(cloud, 'book', first)
    expectHanded(await deliver(cloud, 'book', book), { came: 1, kept: 0 })
    const [second] = await receive(cloud, 'ship')
    if (second === undefined) throw new Error('nothing came')
    await hand(cloud, 'ship', [second], ship)
    await sendCopy(cloud, 'book', first)
    await sendCopy(cloud, 'ship', second)
    expectHanded(await deliver(cloud, 'book', book), { came: 1, kept: 0 })
    expectHanded(await deliver(cloud, 'ship', ship), { came: 1, kept: 0 })
    expect(['seats', 'parcels'].map(harness.count)).toEqual([1, 1])
    expectDeliveries(harness.settled, [
      { kind: 'completed' },
      { kind: 'duplicate' },
      { kind: 'completed' },
      { kind: 'duplicate' },
      { kind: 'stale' },
    ])
  })

  it('ends with a stage that sends to no other stage', async () => {
    const harness = flowHarness(cloud)
    const trip = tripOn(cloud, harness)
    const book = trip.stageHandler('book', () => {})
    await trip.start({ key: 'k' })
    await deliver(cloud, 'book', book)
    expect(harness.record()).not.toHaveProperty('uniquerequestid')
  })

  it(
    'waits for the stage that sent to it: if that was killed before it settled, it runs again and writes first',
    notIn(['killed', 'ten'], 'it breaks the store by itself'),
    async () => {
      const harness = flowHarness(cloud)
      const trip = tripOn(cloud, harness)
      const writes: string[] = []
      const book = trip.stageHandler('book', async (_booking, ctx) => {
        await ctx.write('object', {
          TableName: 'objects',
          Key: { id: 'o' },
          put: { by: 'book' },
        })
        writes.push('book')
        await ctx.next('ship', { key: ctx.key })
      })
      const ship = trip.stageHandler('ship', async (_shipping, ctx) => {
        await ctx.write('object', {
          TableName: 'objects',
          Key: { id: 'o' },
          put: { by: 'ship' },
        })
        writes.push('ship')
      })
      await trip.start({ key: 'k' })
      const records = await receive(cloud, 'book')
      const { update } = harness.store
      harness.store.update = async (updates) =>
        updates.map(() => ({ kind: 'failed', error: new Error('killed before it settled') }))
      await hand(cloud, 'book', records, book)
      harness.store.update = update
      expectHanded(await deliver(cloud, 'ship', ship), { came: 1, kept: 1 })
      harness.clock.advance(LEASE_OVER)
      await deliver(cloud, 'book', book)
      await deliver(cloud, 'ship', ship)
      expect(withoutRepeats(writes)).toEqual(['book', 'book', 'ship'])
      expect(harness.store.userItems('objects')).toEqual([{ id: 'o', by: 'ship' }])
      expect(harness.record()).not.toHaveProperty('uniquerequestid')
    },
  )
})

describe('a stage that fails', () => {
  it(
    'is retried in the same run, with its effects and results kept',
    notIn(['killed'], 'being killed costs attempts, and it counts them'),
    async () => {
      const harness = flowHarness(cloud)
      const trip = tripOn(cloud, harness)
      let calls = 0
      const answers: unknown[] = []
      const book = trip.stageHandler('book', async (_booking, ctx) => {
        await ctx.write('seat', counting('seats'))
        answers.push(await ctx.call('call', () => ({ calls: (calls += 1) })))
        if (ctx.attempt < 3) throw new Error('not yet')
        await ctx.next('ship', { key: ctx.key })
      })
      await trip.start({ key: 'k' })
      for (let attempt = 1; attempt <= 3; attempt++) await deliver(cloud, 'book', book)
      expect(answers).toEqual([{ calls: 1 }, { calls: 1 }, { calls: 1 }])
      expect(calls).toBe(1)
      expect(harness.count('seats')).toBe(1)
      expectDeliveries(harness.settled, ['resent', 'resent', 'completed'])
      expectMessages(await receive(cloud, 'ship'), 1)
    },
  )

  it(
    'is dead-lettered when its retry budget is exhausted, and the key is free for the next request',
    notIn(['killed'], 'being killed costs attempts, and it counts them'),
    async () => {
      const harness = flowHarness(cloud)
      const trip = tripOn(cloud, harness, { retry: { maxAttempts: 2 } })
      let broken = true
      const book = trip.stageHandler('book', async (_booking, ctx) => {
        await ctx.write('seat', counting('seats'))
        if (broken) throw new Error('no seat')
      })
      await trip.start({ key: 'k' }, { uniqueRequestId: 'r1' })
      await deliver(cloud, 'book', book)
      await deliver(cloud, 'book', book)
      expectDeliveries(harness.settled, [
        { kind: 'resent' },
        { kind: 'deadLettered', reason: 'exhausted' },
      ])
      const [deadLetter] = await receive(cloud, 'dead')
      const packed = JSON.parse(deadLetter?.messageAttributes['lineclear']?.stringValue ?? '{}')
      expect(packed).toMatchObject({
        reason: 'exhausted',
        error: 'Error: no seat',
        attempts: 2,
        death: 1,
      })
      expect(harness.record()).not.toHaveProperty('uniquerequestid')

      broken = false
      await trip.start({ key: 'k' }, { uniqueRequestId: 'r2' })
      await deliver(cloud, 'book', book)
      expect(harness.count('seats')).toBe(2)
    },
  )

  it('resumes where it died when its dead letter is redriven, and repeats no effect', async () => {
    const harness = flowHarness(cloud)
    const trip = tripOn(cloud, harness)
    let broken = true
    const book = trip.stageHandler('book', async (_booking, ctx) => {
      await ctx.write('seat', counting('seats'))
      await ctx.next('pay', { key: ctx.key, price: 1 })
    })
    const pay = trip.stageHandler('pay', async (_payment, ctx) => {
      await ctx.write('money', counting('payments'))
      if (broken) throw new TerminalError('the card is blocked')
      await ctx.next('ship', { key: ctx.key })
    })
    const ship = trip.stageHandler('ship', (_shipping, ctx) =>
      ctx.write('parcel', counting('parcels')),
    )
    await trip.start({ key: 'k' })
    await deliver(cloud, 'book', book)
    await deliver(cloud, 'pay', pay)
    const [deadLetter] = await receive(cloud, 'dead')
    if (deadLetter === undefined) throw new Error('no dead letter')
    expect(harness.record()).not.toHaveProperty('uniquerequestid')

    broken = false
    await sendCopy(cloud, 'pay', deadLetter)
    await sendCopy(cloud, 'pay', deadLetter)
    await deliver(cloud, 'pay', pay)
    await deliver(cloud, 'ship', ship)
    expect(['seats', 'payments', 'parcels'].map(harness.count)).toEqual([1, 1, 1])
    expect(harness.record()).not.toHaveProperty('uniquerequestid')
    await sendCopy(cloud, 'pay', deadLetter)
    expectHanded(await deliver(cloud, 'pay', pay), { came: 1, kept: 0 })
    expect(['seats', 'payments', 'parcels'].map(harness.count)).toEqual([1, 1, 1])
  })

  it(
    'may fail again after a redrive, and its resend continues in the reopened run',
    notIn(['killed'], 'being killed costs attempts, and it counts them'),
    async () => {
      const harness = flowHarness(cloud)
      const trip = tripOn(cloud, harness, { retry: { maxAttempts: 3 } })
      let failures = 4
      const book = trip.stageHandler('book', (_booking, ctx) => ctx.next('ship', { key: ctx.key }))
      const ship = trip.stageHandler('ship', async (_shipping, ctx) => {
        if (failures-- > 0) throw new Error('not yet')
        await ctx.write('parcel', counting('parcels'))
      })
      await trip.start({ key: 'k' })
      await deliver(cloud, 'book', book)
      for (let attempt = 1; attempt <= 3; attempt++) await deliver(cloud, 'ship', ship)
      const [deadLetter] = await receive(cloud, 'dead')
      if (deadLetter === undefined) throw new Error('no dead letter')
      await sendCopy(cloud, 'ship', deadLetter)
      await deliver(cloud, 'ship', ship)
      expectLastDelivery(harness.settled, { kind: 'resent' })
      await deliver(cloud, 'ship', ship)
      expectLastDelivery(harness.settled, { kind: 'completed' })
      expect(harness.count('parcels')).toBe(1)
    },
  )

  it(
    'accepts, after a redrive, a message that was under way to another stage when the run died',
    notIn(['killed'], 'being killed costs attempts, and it counts them'),
    async () => {
      const harness = flowHarness(cloud)
      const trip = tripOn(cloud, harness, { retry: { maxAttempts: 1 }, giveUpAfter: '3h' })
      let broken = true
      const book = trip.stageHandler('book', async (_booking, ctx) => {
        await ctx.next('pay', { key: ctx.key, price: 1 })
        await ctx.next('ship', { key: ctx.key })
      })
      const pay = trip.stageHandler('pay', async (_payment, ctx) => {
        if (broken) throw new Error('the card is blocked')
        await ctx.write('money', counting('payments'))
      })
      const ship = trip.stageHandler('ship', (_shipping, ctx) =>
        ctx.write('parcel', counting('parcels')),
      )
      await trip.start({ key: 'k' })
      await deliver(cloud, 'book', book)
      const [slow] = await receive(cloud, 'ship')
      await deliver(cloud, 'pay', pay)
      const [deadLetter] = await receive(cloud, 'dead')
      if (deadLetter === undefined || slow === undefined) throw new Error('nothing came')
      harness.clock.advance(6 * 3_600_000)
      await sweepHandler({
        store: harness.store,
        clock: harness.clock,
        logger: harness.options.logger,
      })()
      broken = false
      await sendCopy(cloud, 'pay', deadLetter)
      await deliver(cloud, 'pay', pay)
      await sendCopy(cloud, 'ship', slow)
      await deliver(cloud, 'ship', ship)
      expect(['payments', 'parcels'].map(harness.count)).toEqual([1, 1])
      expect(harness.record()).not.toHaveProperty('uniquerequestid')
    },
  )

  it(
    'that was too old to run at all has its full time limit when its dead letter is redriven',
    notIn(['killed'], 'being killed costs attempts, and it counts them'),
    async () => {
      const harness = flowHarness(cloud)
      const trip = tripOn(cloud, harness, { giveUpAfter: '3h' })
      const book = trip.stageHandler('book', (_booking, ctx) =>
        ctx.write('seat', counting('seats')),
      )
      await trip.start({ key: 'k' })
      harness.clock.advance(6 * 3_600_000)
      await deliver(cloud, 'book', book)
      expectDeliveries(harness.settled, [{ kind: 'deadLettered', reason: 'too old' }])
      const [deadLetter] = await receive(cloud, 'dead')
      if (deadLetter === undefined) throw new Error('no dead letter')
      await sendCopy(cloud, 'book', deadLetter)
      await deliver(cloud, 'book', book)
      expect(harness.count('seats')).toBe(1)
    },
  )

  it('ends with an unknown outcome when it cannot be known whether an outside call was made', async () => {
    const harness = flowHarness(cloud)
    const trip = tripOn(cloud, harness)
    let calls = 0
    const book = trip.stageHandler('book', (_booking, ctx) =>
      ctx.call(
        'card',
        () => {
          calls += 1
          throw new Error('the line went dead')
        },
        { ifUnknown: 'stop' },
      ),
    )
    await trip.start({ key: 'k' })
    await deliver(cloud, 'book', book)
    expectDeliveries(harness.settled, [{ kind: 'deadLettered', reason: 'unknown' }])
    expect(calls).toBeLessThan(2)
    inCalm('runs', () => expect(calls).toBe(1))
    expect(UnknownOutcomeError.name).toBe('UnknownOutcomeError')
  })

  it(
    'ends with an unknown outcome when an attempt ended during the call, and does not repeat the call',
    notIn(['killed', 'ten'], 'it breaks the store by itself'),
    async () => {
      const harness = flowHarness(cloud)
      const trip = tripOn(cloud, harness)
      let calls = 0
      const book = trip.stageHandler('book', (_booking, ctx) =>
        ctx.call('card', () => (calls += 1), { ifUnknown: 'stop' }),
      )
      const { create } = harness.store
      harness.store.create = async (items) =>
        items.some(({ sk }) => sk.startsWith('answer#'))
          ? items.map(() => ({ kind: 'failed', error: new Error('killed in the call') }))
          : create(items)
      await trip.start({ key: 'k' })
      await deliver(cloud, 'book', book)
      harness.store.create = create
      await deliver(cloud, 'book', book)
      expect(calls).toBe(1)
      expectLastDelivery(harness.settled, { kind: 'deadLettered', reason: 'unknown' })
    },
  )

  it(
    'has its full time limit again when its dead letter is redriven days later',
    notIn(['killed'], 'being killed costs attempts, and it counts them'),
    async () => {
      const harness = flowHarness(cloud)
      const trip = tripOn(cloud, harness, { giveUpAfter: '3h', retry: { maxAttempts: 2 } })
      let failures = 3
      const book = trip.stageHandler('book', async (_booking, ctx) => {
        if (failures-- > 0) throw new Error('not yet')
        await ctx.write('seat', counting('seats'))
      })
      await trip.start({ key: 'k' })
      await deliver(cloud, 'book', book)
      await deliver(cloud, 'book', book)
      const [deadLetter] = await receive(cloud, 'dead')
      if (deadLetter === undefined) throw new Error('no dead letter')
      harness.clock.advance(3 * 86_400_000)
      await sendCopy(cloud, 'book', deadLetter)
      await deliver(cloud, 'book', book)
      expectLastDelivery(harness.settled, { kind: 'resent' })
      await deliver(cloud, 'book', book)
      expectLastDelivery(harness.settled, { kind: 'completed' })
      expect(harness.count('seats')).toBe(1)
    },
  )

  it('stops as stale, ends the run, and sends none of its prepared messages', async () => {
    const harness = flowHarness(cloud)
    const trip = tripOn(cloud, harness)
    const book = trip.stageHandler('book', async (_booking, ctx) => {
      await ctx.next('ship', { key: ctx.key })
      throw new StaleError('the cart is newer')
    })
    await trip.start({ key: 'k' })
    await deliver(cloud, 'book', book)
    expectDeliveries(harness.settled, [{ kind: 'stale' }])
    expect(harness.record()).not.toHaveProperty('uniquerequestid')
    expect(await receive(cloud, 'ship')).toEqual([])
  })
})

describe('a reset from outside', () => {
  it(
    'makes a running attempt stale: it writes nothing more, and its message is acknowledged',
    notIn(
      ['killed'],
      'its handler delivers by itself, or does what is not done again when it is killed',
    ),
    async () => {
      const harness = flowHarness(cloud)
      const trip = tripOn(cloud, harness)
      let thrown: unknown
      const book = trip.stageHandler('book', async (_booking, ctx) => {
        await trip.reset('k')
        thrown = await ctx.write('seat', counting('seats')).catch((error: unknown) => error)
        throw thrown
      })
      await trip.start({ key: 'k' })
      expectHanded(await deliver(cloud, 'book', book), { came: 1, kept: 0 })
      expect(thrown).toBeInstanceOf(SupersededError)
      expect(harness.count('seats')).toBe(0)
      expectDeliveries(harness.settled, [{ kind: 'reset' }])
    },
  )

  it('drops messages that are under way, also one with a long delay', async () => {
    const harness = flowHarness(cloud)
    const trip = tripOn(cloud, harness)
    const book = trip.stageHandler('book', (_booking, ctx) => ctx.next('ship', { key: ctx.key }))
    const ship = trip.stageHandler('ship', (_shipping, ctx) =>
      ctx.write('parcel', counting('parcels')),
    )
    await trip.start({ key: 'k' })
    await deliver(cloud, 'book', book)
    await trip.reset('k')
    expectHanded(await deliver(cloud, 'ship', ship), { came: 1, kept: 0 })
    expect(harness.count('parcels')).toBe(0)
    expectLastDelivery(harness.settled, { kind: 'stale' })
    await trip.reset('k')
    await trip.reset('unknown')
  })

  it('finds a run whose key is so long that the table has its digest', async () => {
    const harness = flowHarness(cloud)
    const trip = tripOn(cloud, harness)
    const book = trip.stageHandler('book', (_booking, ctx) => ctx.next('ship', { key: long }))
    const long = 'k'.repeat(2_000)
    await trip.start({ key: long })
    await deliver(cloud, 'book', book)
    const runs = (): number => harness.store.items().filter((item) => 'giveUpAt' in item).length
    expect(runs()).toBe(1)
    await trip.reset(long)
    expect(runs()).toBe(0)
  })

  it('from within its own handler does not reset a run that has taken the key since', async () => {
    const harness = flowHarness(cloud)
    const trip = tripOn(cloud, harness, { onConflict: 'supersede' })
    const at = harness.clock.now()
    const book = trip.stageHandler('book', async ({ n }, ctx) => {
      if (n === 2) return ctx.next('ship', { key: ctx.key })
      await trip.start({ key: 'k', n: 2 }, { uniqueRequestId: 'r2', sentAt: at + 1 })
      await deliver(cloud, 'book', book)
      return ctx.reset()
    })
    await trip.start({ key: 'k', n: 1 }, { uniqueRequestId: 'r1', sentAt: at })
    await deliver(cloud, 'book', book)
    expect(harness.record()).toMatchObject({ uniquerequestid: 'r2' })
  })

  it('from within its own handler ends the run', async () => {
    const harness = flowHarness(cloud)
    const trip = tripOn(cloud, harness)
    const book = trip.stageHandler('book', async (_booking, ctx) => {
      await ctx.write('seat', counting('seats'))
      await ctx.reset()
    })
    await trip.start({ key: 'k' }, { uniqueRequestId: 'r1' })
    expectHanded(await deliver(cloud, 'book', book), { came: 1, kept: 0 })
    expectLastDelivery(harness.settled, { kind: 'reset' })
    await send(cloud, 'book', { key: 'k' })
    await deliver(cloud, 'book', book)
    expect(harness.count('seats')).toBe(2)
  })

  it('from within the handler of a later stage is named as such', async () => {
    const harness = flowHarness(cloud)
    const trip = tripOn(cloud, harness)
    const book = trip.stageHandler('book', (_booking, ctx) => ctx.next('ship', { key: ctx.key }))
    const ship = trip.stageHandler('ship', (_shipping, ctx) => ctx.reset())
    await trip.start({ key: 'k' })
    await deliver(cloud, 'book', book)
    await deliver(cloud, 'ship', ship)
    expectLastDelivery(harness.settled, { kind: 'reset' })
  })
})
