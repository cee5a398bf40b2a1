import { SupersededError, sweepHandler, TerminalError } from 'lineclear'
import type { LocalCloud } from 'lineclear/local'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { expectDeliveries, expectLastDelivery } from '../proof/hostile/expectDeliveries.ts'
import { expectHanded, expectMessages } from '../proof/hostile/expectHanded.ts'
import { withoutRepeats } from '../proof/hostile/withoutRepeats.ts'
import { calmOnly, notIn } from '../proof/hostile/mode.ts'
import {
  deliver,
  flowHarness,
  emptyAll,
  hand,
  receive,
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

const HOUR = 3_600_000

/** A flow of two stages that writes the id of the last request; `on` is its conflict policy. */
function rivals(options: Parameters<typeof tripOn>[2]) {
  const harness = flowHarness(cloud)
  const trip = tripOn(cloud, harness, options)
  const ran: string[] = []
  const book = trip.stageHandler('book', async (_booking, ctx) => {
    ran.push(ctx.uniqueRequestId)
    await ctx.write('seat', counting(ctx.uniqueRequestId))
    await ctx.next('ship', { key: ctx.key })
  })
  const ship = trip.stageHandler('ship', (_shipping, ctx) =>
    ctx.write('object', {
      TableName: 'objects',
      Key: { id: ctx.key },
      put: { by: ctx.uniqueRequestId },
    }),
  )
  const start = (uniqueRequestId: string, sentAt: number): Promise<unknown> =>
    trip.start({ key: 'k' }, { uniqueRequestId, sentAt })
  const winner = (): unknown => harness.store.userItems('objects')[0]?.['by']
  return { harness, trip, ran, book, ship, start, winner, at: harness.clock.now() - 10_000 }
}

describe('another request while the key is held', () => {
  it('defer: waits, and runs when the key is free', async () => {
    const { harness, book, ship, start, ran, at, winner } = rivals({ onConflict: 'defer' })
    await start('r1', at)
    await deliver(cloud, 'book', book)
    await start('r2', at + 1)
    expectHanded(await deliver(cloud, 'book', book), { came: 1, kept: 1 })
    expectLastDelivery(harness.settled, { kind: 'deferred' })
    await deliver(cloud, 'ship', ship)
    await deliver(cloud, 'book', book)
    await deliver(cloud, 'ship', ship)
    expect(withoutRepeats(ran)).toEqual(['r1', 'r2'])
    expect(winner()).toBe('r2')
  })

  it(
    'defer: after a few receives it is resent, so that SQS does not dead-letter it by maxReceiveCount',
    notIn(['killed', 'clocks'], 'its messages wait by the clock'),
    async () => {
      const { harness, book, start, at, ran, ship } = rivals({ onConflict: 'defer' })
      await start('r1', at)
      await deliver(cloud, 'book', book)
      await start('r2', harness.clock.now())
      for (let receipt = 1; receipt <= 3; receipt++) await deliver(cloud, 'book', book)
      expectDeliveries(harness.settled, ['completed', 'deferred', 'deferred', 'resent'])
      await deliver(cloud, 'ship', ship)
      await new Promise((resolve) => setTimeout(resolve, 1_200))
      await deliver(cloud, 'book', book)
      expect(withoutRepeats(ran)).toEqual(['r1', 'r2'])
    },
  )

  it(
    'defer: a redriven dead letter keeps its death number while it waits, and runs when the key is free',
    notIn(['killed', 'clocks'], 'its messages wait by the clock'),
    async () => {
      const harness = flowHarness(cloud)
      const trip = tripOn(cloud, harness, { process: 'every' })
      let isBroken = true
      const ran: string[] = []
      const book = trip.stageHandler('book', async (_booking, ctx) => {
        if (isBroken) throw new TerminalError('no seat')
        ran.push(ctx.uniqueRequestId)
        await ctx.next('ship', { key: ctx.key })
      })
      const ship = trip.stageHandler('ship', () => {})
      await trip.start({ key: 'k' }, { uniqueRequestId: 'r1' })
      await deliver(cloud, 'book', book)
      const [deadLetter] = await receive(cloud, 'dead')
      if (deadLetter === undefined) throw new Error('no dead letter')
      isBroken = false
      await trip.start({ key: 'k' }, { uniqueRequestId: 'r2' })
      await deliver(cloud, 'book', book)
      await sendCopy(cloud, 'book', deadLetter)
      for (let receipt = 1; receipt <= 3; receipt++) await deliver(cloud, 'book', book)
      expectLastDelivery(harness.settled, { kind: 'resent' })
      await deliver(cloud, 'ship', ship)
      // The copy comes a second later.
      const copy = async (): Promise<number> => (await deliver(cloud, 'book', book)).came
      await expect.poll(copy).toBeGreaterThan(0)
      expect(withoutRepeats(ran)).toEqual(['r2', 'r1'])
    },
  )

  it('drop: is refused for good, and its copy does not run when the key is free', async () => {
    const { harness, book, ship, start, ran, at } = rivals({ onConflict: 'drop' })
    await start('r1', at)
    await deliver(cloud, 'book', book)
    await start('r2', at + 1)
    const [second] = await receive(cloud, 'book')
    if (second === undefined) throw new Error('nothing came')
    await hand(cloud, 'book', [second], book)
    expectLastDelivery(harness.settled, { kind: 'dropped' })
    await deliver(cloud, 'ship', ship)
    await sendCopy(cloud, 'book', second)
    expectHanded(await deliver(cloud, 'book', book), { came: 1, kept: 0 })
    expect(withoutRepeats(ran)).toEqual(['r1'])
    await start('r3', at + 2)
    await deliver(cloud, 'book', book)
    expect(withoutRepeats(ran)).toEqual(['r1', 'r3'])
  })

  it(
    'supersede: takes over from the older one in the middle of its work, which can write nothing more',
    notIn(
      ['killed'],
      'its handler delivers by itself, or does what is not done again when it is killed',
    ),
    async () => {
      const harness = flowHarness(cloud)
      const trip = tripOn(cloud, harness, { onConflict: 'supersede' })
      const at = harness.clock.now() - 10_000
      let thrown: unknown
      const book = trip.stageHandler('book', async ({ n }, ctx) => {
        if (n === 1) {
          await trip.start({ key: 'k', n: 2 }, { uniqueRequestId: 'r2', sentAt: at + 1 })
          await deliver(cloud, 'book', book)
          thrown = await ctx
            .write('late', { TableName: 'objects', Key: { id: 'k' }, put: { n } })
            .catch((error: unknown) => error)
          throw thrown
        }
        await ctx.write('object', {
          TableName: 'objects',
          Key: { id: 'k' },
          put: { n: n ?? 0 },
        })
      })
      await trip.start({ key: 'k', n: 1 }, { uniqueRequestId: 'r1', sentAt: at })
      expectHanded(await deliver(cloud, 'book', book), { came: 1, kept: 0 })
      expect(thrown).toBeInstanceOf(SupersededError)
      expect(harness.store.userItems('objects')).toEqual([{ id: 'k', n: 2 }])
      expectDeliveries(harness.settled, [{ kind: 'completed' }, { kind: 'superseded' }])
    },
  )

  it('supersede: an older one that arrives late is stale', async () => {
    const { harness, book, ship, start, ran, at, winner } = rivals({ onConflict: 'supersede' })
    await start('r2', at + 1)
    await deliver(cloud, 'book', book)
    await start('r1', at)
    expectHanded(await deliver(cloud, 'book', book), { came: 1, kept: 0 })
    await deliver(cloud, 'ship', ship)
    await start('r0', at - 1)
    await deliver(cloud, 'book', book)
    expect(withoutRepeats(ran)).toEqual(['r2'])
    expect(winner()).toBe('r2')
    expectDeliveries(harness.settled, [
      'completed',
      { kind: 'stale' },
      'completed',
      { kind: 'stale' },
    ])
  })

  it('supersede: of two sent in the same millisecond the id decides, the same way in any order', async () => {
    const { book, start, ran, at } = rivals({ onConflict: 'supersede' })
    await start('b', at)
    await deliver(cloud, 'book', book)
    await start('a', at)
    await deliver(cloud, 'book', book)
    expect(withoutRepeats(ran)).toEqual(['b'])
    const other = rivals({ onConflict: 'supersede' })
    await other.start('a', at)
    await deliver(cloud, 'book', other.book)
    await other.start('b', at)
    await deliver(cloud, 'book', other.book)
    expect(withoutRepeats(other.ran)).toEqual(['a', 'b'])
  })

  it('coalesce: the newest waits, the older ones are dropped', async () => {
    const { harness, book, ship, start, ran, at, winner } = rivals({ onConflict: 'coalesce' })
    await start('r1', at)
    await deliver(cloud, 'book', book)
    await start('r3', at + 2)
    await deliver(cloud, 'book', book)
    await start('r2', at + 1)
    const records = await receive(cloud, 'book')
    await hand(cloud, 'book', records, book)
    expect(harness.settled).toContainEqual({ kind: 'coalesced' })
    await deliver(cloud, 'ship', ship)
    await deliver(cloud, 'book', book)
    await deliver(cloud, 'ship', ship)
    expect(withoutRepeats(ran)).toEqual(['r1', 'r3'])
    expect(winner()).toBe('r3')
  })

  it.each(['defer', 'coalesce'] as const)(
    '%s: copies of one request in one batch are duplicates, not deferred for a lease',
    calmOnly('counts settlements'),
    async (onConflict) => {
      const { harness, start, at, trip } = rivals({ onConflict })
      const ran: string[] = []
      const book = trip.stageHandler('book', (_booking, ctx) => {
        ran.push(ctx.uniqueRequestId)
      })
      for (let copy = 0; copy < 3; copy += 1) await start('r1', at)
      await deliver(cloud, 'book', book)
      expect(ran).toEqual(['r1'])
      const kinds = harness.settled.map(({ kind }) => kind)
      expect(kinds.filter((kind) => kind === 'duplicate')).toHaveLength(2)
      expect(kinds).not.toContain('deferred')
    },
  )

  it(
    'two requests of one key in one batch run one after the other',
    notIn(['killed'], 'a killed request holds its key, and the other one is dropped'),
    async () => {
      const { harness, start, at, trip } = rivals({ onConflict: 'drop' })
      const ran: string[] = []
      const book = trip.stageHandler('book', (_booking, ctx) => {
        ran.push(ctx.uniqueRequestId)
      })
      await start('r1', at)
      await start('r2', at + 1)
      expectHanded(await deliver(cloud, 'book', book), { came: 2, kept: 0 })
      expect(withoutRepeats(ran)).toEqual(['r1', 'r2'])
      expectDeliveries(harness.settled, ['completed', 'completed'])
    },
  )

  it('frees the key of a request whose messages are lost, after giveUpAfter', async () => {
    const { harness, book, start, ran, at } = rivals({ onConflict: 'defer', giveUpAfter: '3h' })
    await start('r1', at)
    await deliver(cloud, 'book', book)
    const lost = await receive(cloud, 'ship')
    expectMessages(lost, 1)
    harness.clock.advance(6 * HOUR)
    await start('r2', harness.clock.now())
    await deliver(cloud, 'book', book)
    expect(withoutRepeats(ran)).toEqual(['r1', 'r2'])
  })
})

describe("process: 'every'", () => {
  it(
    'recognises a request that the sweeper has given up, after others have run, with all its effects',
    notIn(['killed', 'clocks'], 'its sweeper must know what time it is'),
    async () => {
      const harness = flowHarness(cloud)
      const trip = tripOn(cloud, harness, { process: 'every', giveUpAfter: '3h' })
      let broken = true
      const book = trip.stageHandler('book', async (_booking, ctx) => {
        await ctx.write('seat', counting(ctx.uniqueRequestId))
        if (broken) throw new Error('not now')
      })
      await trip.start({ key: 'k' }, { uniqueRequestId: 'r1' })
      await deliver(cloud, 'book', book)
      const [slow] = await receive(cloud, 'book')
      if (slow === undefined) throw new Error('nothing came')
      harness.clock.advance(6 * HOUR)
      await sweepHandler({
        store: harness.store,
        clock: harness.clock,
        logger: harness.options.logger,
        clients: { sqs: cloud.sqs },
      })()
      broken = false
      await trip.start({ key: 'k' }, { uniqueRequestId: 'r2' })
      await deliver(cloud, 'book', book)
      await hand(cloud, 'book', [slow], book)
      const [deadLetter] = await receive(cloud, 'dead')
      if (deadLetter === undefined) throw new Error('no dead letter')
      await sendCopy(cloud, 'book', deadLetter)
      await deliver(cloud, 'book', book)
      expectLastDelivery(harness.settled, { kind: 'completed' })
      expect(['r1', 'r2'].map(harness.count)).toEqual([1, 1])
    },
  )

  it(
    'runs each request, also an older one that comes late, and none twice',
    notIn(['killed'], 'its one batch makes more calls than there are points to kill at'),
    async () => {
      const harness = flowHarness(cloud)
      const trip = tripOn(cloud, harness, { process: 'every' })
      const at = harness.clock.now() - 10_000
      const ran: string[] = []
      const book = trip.stageHandler('book', (_booking, ctx) => {
        ran.push(ctx.uniqueRequestId)
      })
      const ids = Array.from({ length: 25 }, (_, nth) => `r${nth}`)
      const records = []
      for (const [nth, id] of ids.entries()) {
        await trip.start({ key: 'k' }, { uniqueRequestId: id, sentAt: at + ((nth * 7) % 25) })
        const [record] = await receive(cloud, 'book')
        if (record === undefined) throw new Error('nothing came')
        await hand(cloud, 'book', [record], book)
        records.push(record)
      }
      expect(withoutRepeats(ran)).toEqual(ids)
      for (const record of records) await sendCopy(cloud, 'book', record)
      expectHanded(await deliver(cloud, 'book', book), { came: 25, kept: 0 })
      expect(withoutRepeats(ran)).toEqual(ids)
      expect(JSON.stringify(harness.record()).length).toBeLessThan(1_000)
    },
  )
})
