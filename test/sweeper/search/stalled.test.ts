import type { LocalCloud } from 'lineclear/local'
import { sweepHandler } from 'lineclear'
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest'
import {
  deliver,
  emptyAll,
  flowHarness,
  receive,
  sendCopy,
  startFlowCloud,
} from '../../flow/flowHarness.ts'
import { counting, tripOn } from '../../flow/trip.ts'
import { MINUTE } from './lostAttempts.ts'

let cloud: LocalCloud
beforeAll(async () => {
  cloud = await startFlowCloud()
})
afterEach(() => emptyAll(cloud))
afterAll(() => cloud.stop())

/** The first attempt of `book` is killed; its message is kept by the test. */
async function killedBooking() {
  const harness = flowHarness(cloud)
  const trip = tripOn(cloud, harness)
  const { promise: begun, resolve } = Promise.withResolvers<void>()
  const killing = trip.stageHandler('book', () => {
    resolve()
    return new Promise<never>(() => {})
  })
  await trip.start({ key: 'k' }, { uniqueRequestId: 'r1' })
  const [message] = await receive(cloud, 'book')
  if (message === undefined) throw new Error('no message')
  await sendCopy(cloud, 'book', message)
  // It reaches the end of its time long after this test.
  deliver(cloud, 'book', killing).catch(() => {})
  await begun
  await emptyAll(cloud)
  const { store, clock, options } = harness
  const sweep = sweepHandler({ store, clock, logger: options.logger, clients: { sqs: cloud.sqs } })
  const book = trip.stageHandler('book', async (_booking, ctx) => {
    await ctx.write('seat', counting('seats'))
    await ctx.next('pay', { key: ctx.key, price: 1 })
  })
  const comesBack = async (): Promise<void> => {
    await sendCopy(cloud, 'book', message)
    await deliver(cloud, 'book', book)
  }
  return { ...harness, sweep, comesBack }
}

it('a run whose attempt was lost is overdue within minutes, not after its time limit', async () => {
  const { clock, sweep, lines, record } = await killedBooking()
  const limit = record()?.['giveUpAt']
  expect(await sweep()).toMatchObject({ looked: 0 })
  clock.advance(100 * MINUTE)
  expect(await sweep()).toMatchObject({ found: 1 })
  expect(await sweep()).toMatchObject({ looked: 1, overdue: 1, freed: 0 })
  expect(lines.at(-2)).toMatchObject({
    level: 'warn',
    message: expect.stringMatching(/^stalled/),
    pk: 'flow#trip/k',
    uniquerequestid: 'r1',
    stages: 'book',
  })
  expect(record()).toMatchObject({ uniquerequestid: 'r1', giveUpAt: limit })
})

it('its message that comes back all the same runs, once, and the run is due at its time limit again', async () => {
  const { clock, sweep, comesBack, count, record } = await killedBooking()
  clock.advance(100 * MINUTE)
  await sweep()
  expect(record()?.['dueAt']).toBeLessThan(clock.now())
  await comesBack()
  await comesBack()
  expect(count('seats')).toBe(1)
  expect(record()?.['dueAt']).toBe(record()?.['giveUpAt'])
  expect(await sweep()).toMatchObject({ looked: 0 })
})

it('an attempt that was taken for lost and ends all the same: the run is due at its time limit again', async () => {
  const harness = flowHarness(cloud)
  const { store, clock, options, record } = harness
  const trip = tripOn(cloud, harness)
  const sweep = sweepHandler({ store, clock, logger: options.logger, clients: { sqs: cloud.sqs } })
  const book = trip.stageHandler('book', async (_booking, ctx) => {
    clock.advance(100 * MINUTE)
    expect(await sweep()).toMatchObject({ found: 1 })
    await ctx.next('pay', { key: ctx.key, price: 1 })
  })
  await trip.start({ key: 'k' }, { uniqueRequestId: 'r1' })
  await deliver(cloud, 'book', book)
  expect(record()?.['stage:book']).toBe('settled on pay')
  expect(record()?.['dueAt']).toBeLessThan(clock.now())
  expect(await sweep()).toMatchObject({ looked: 1, unlisted: 1, overdue: 0 })
  expect(record()?.['dueAt']).toBe(record()?.['giveUpAt'])
  expect(await sweep()).toMatchObject({ looked: 0 })
})

it('a run in its first attempts is not listed, and is found when it is out of time', async () => {
  const harness = flowHarness(cloud)
  const { store, clock, options, record } = harness
  const trip = tripOn(cloud, harness)
  const sweep = sweepHandler({ store, clock, logger: options.logger, clients: { sqs: cloud.sqs } })
  const book = trip.stageHandler('book', (_booking, ctx) =>
    ctx.next('pay', { key: ctx.key, price: 1 }),
  )
  await trip.start({ key: 'k' }, { uniqueRequestId: 'r1' })
  await deliver(cloud, 'book', book)
  await emptyAll(cloud)
  expect(record()).not.toHaveProperty('statusShard')
  clock.advance(100 * MINUTE)
  expect(await sweep()).not.toHaveProperty('found')
  clock.advance(25 * 60 * MINUTE)
  const [first, second] = [await sweep(), await sweep()]
  expect([first.found, first.freed + second.freed]).toEqual([1, 1])
  expect(record()).not.toHaveProperty('uniquerequestid')
})

it('a run that is listed leaves the index at its end', async () => {
  const { store, clock, options, record, comesBack } = await killedBooking()
  const [key] = store.items()
  if (key === undefined) throw new Error('no record')
  const listed = { statusShard: 'running#3', dueAt: Number(key['giveUpAt']) }
  await store.update([{ key: { pk: 'flow#trip/k', sk: 'stage' }, where: [], set: listed }])
  clock.advance(100 * MINUTE)
  await comesBack()
  const again = tripOn(cloud, { store, clock, options } as never)
  const pay = again.stageHandler('pay', () => {})
  await deliver(cloud, 'pay', pay)
  expect(record()).not.toHaveProperty('uniquerequestid')
  expect(record()).not.toHaveProperty('statusShard')
  expect(record()).not.toHaveProperty('dueAt')
})

it('what has continued since the search has read it is not moved', async () => {
  const { clock, store, options, comesBack, record, count } = await killedBooking()
  clock.advance(100 * MINUTE)
  let raced = false
  const late: typeof store = {
    ...store,
    update: async (updates) => {
      if (!raced && updates.some(({ set }) => set?.['dueAt'] !== undefined)) {
        raced = true
        await comesBack()
      }
      return store.update(updates)
    },
  }
  await sweepHandler({ store: late, clock, logger: options.logger, clients: { sqs: cloud.sqs } })()
  expect([raced, count('seats')]).toEqual([true, 1])
  expect(record()?.['dueAt']).toBe(record()?.['giveUpAt'])
})

it('a stalled run is still ended at its time limit', async () => {
  const { clock, sweep, record } = await killedBooking()
  clock.advance(100 * MINUTE)
  await sweep()
  clock.advance(25 * 60 * MINUTE)
  expect(await sweep()).toMatchObject({ freed: 1 })
  expect(record()).not.toHaveProperty('dueAt')
})
