import { documented } from '../proof/formats/page.ts'
import type { LocalCloud } from 'lineclear/local'
import { lockTokens, onceForever, sweepHandler, TerminalError } from 'lineclear'
import { memoryStore } from 'lineclear/testing'
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest'
import {
  deliver,
  type FlowHarness,
  flowHarness,
  emptyAll,
  receive,
  sendCopy,
  startFlowCloud,
} from '../flow/flowHarness.ts'
import { counting, tripOn } from '../flow/trip.ts'
import { withoutRepeats } from '../proof/hostile/withoutRepeats.ts'
import { notIn } from '../proof/hostile/mode.ts'

let cloud: LocalCloud
beforeAll(async () => {
  cloud = await startFlowCloud()
})
afterEach(() => emptyAll(cloud))
afterAll(() => cloud.stop())

const HOUR = 3_600_000
const TO_THE_HOUR = notIn(['clocks'], 'it asks for the hour, and clocks differ by more')
const NOTHING = {
  looked: 0,
  freed: 0,
  queued: 0,
  reminded: 0,
  unlisted: 0,
  overdue: 0,
  waiting: 0,
  failed: 0,
  notKnown: 0,
  delayed: { sent: 0, waiting: 0, notKnown: 0, failed: 0 },
}

const sweeperOf = ({ store, options: { logger }, clock }: FlowHarness) =>
  sweepHandler({ store, logger, clock, clients: { sqs: cloud.sqs } })

it('finds nothing on an empty table', async () => {
  expect(await sweeperOf(flowHarness(cloud))()).toEqual(NOTHING)
})

it('frees the key of a run whose messages are gone, and not before its time', async () => {
  const harness = flowHarness(cloud)
  const trip = tripOn(cloud, harness, { giveUpAfter: '1h' })
  const sweep = sweeperOf(harness)
  const book = trip.stageHandler('book', (_booking, ctx) => ctx.next('ship', { key: ctx.key }))
  await trip.start({ key: 'k' }, { uniqueRequestId: 'r1' })
  await deliver(cloud, 'book', book)
  await emptyAll(cloud)
  expect(await sweep()).toEqual(NOTHING)
  harness.clock.advance(HOUR + 120_000)
  // The search and the sweep run side by side: the first run may free what it has found, or the second does.
  const [first, second] = [await sweep(), await sweep()]
  expect([first.found, first.freed + second.freed]).toEqual([1, 1])
  expect(harness.record()).not.toHaveProperty('uniquerequestid')
  expect(harness.lines.find(({ level }) => level === 'warn')).toMatchObject({
    uniquerequestid: 'r1',
    ended: 'dead',
  })
  harness.clock.advance(120_000)
  expect(await sweep()).toEqual({ ...NOTHING, looked: 1, waiting: 1 })
})

it('leaves a live attempt alone, also past its time', async () => {
  const harness = flowHarness(cloud)
  const trip = tripOn(cloud, harness, { giveUpAfter: '1h' })
  const { store, options, clock } = harness
  const sweep = sweepHandler({ store, logger: options.logger, clock, grace: 0 })
  const reports: Awaited<ReturnType<typeof sweep>>[] = []
  const book = trip.stageHandler('book', async (_booking, ctx) => {
    harness.clock.advance(2)
    reports.push(await sweep(), await sweep())
    await ctx.write('seat', counting('seats'))
  })
  await trip.start({ key: 'k' }, { sentAt: clock.now() - HOUR + 1 })
  await deliver(cloud, 'book', book)
  expect(harness.count('seats')).toBe(1)
  expect(reports.map(({ found, freed }) => [found, freed])).toEqual([
    [1, 0],
    [undefined, 0],
  ])
  expect(reports.at(-1)).toEqual({ ...NOTHING, looked: 1, overdue: 1 })
})

it('an every-flow does not run again what the sweeper has ended', async () => {
  const harness = flowHarness(cloud)
  const trip = tripOn(cloud, harness, { process: 'every', giveUpAfter: '1h' })
  const ran: string[] = []
  const book = trip.stageHandler('book', async (_booking, ctx) => {
    ran.push(ctx.uniqueRequestId)
    await ctx.next('ship', { key: ctx.key })
  })
  await trip.start({ key: 'k' }, { uniqueRequestId: 'r1' })
  await deliver(cloud, 'book', book)
  await emptyAll(cloud)
  harness.clock.advance(HOUR + 120_000)
  await sweeperOf(harness)()
  await trip.start({ key: 'k' }, { uniqueRequestId: 'r1' })
  await deliver(cloud, 'book', book)
  expect(withoutRepeats(ran)).toEqual(['r1'])
})

it('an abandoned message is dead-lettered, and runs when redriven', TO_THE_HOUR, async () => {
  const harness = flowHarness(cloud)
  const trip = tripOn(cloud, harness, { giveUpAfter: '1h' })
  let isBroken = true
  const book = trip.stageHandler('book', async (_booking, ctx) => {
    if (isBroken) throw new Error('not yet')
    await ctx.write('seat', counting('seats'))
  })
  await trip.start({ key: 'k' }, { uniqueRequestId: 'r1' })
  await deliver(cloud, 'book', book)
  harness.clock.advance(HOUR + 120_000)
  await sweeperOf(harness)()
  await deliver(cloud, 'book', book)
  const [deadLetter] = await receive(cloud, 'dead')
  if (deadLetter === undefined) throw new Error('no dead letter')
  isBroken = false
  await sendCopy(cloud, 'book', deadLetter)
  await deliver(cloud, 'book', book)
  expect(harness.count('seats')).toBe(1)
})

it('sends a timeout again whose message was lost', TO_THE_HOUR, async () => {
  const harness = flowHarness(cloud)
  const trip = tripOn(cloud, harness)
  const log: string[] = []
  const book = trip.stageHandler('book', (_booking, ctx) =>
    ctx.awaitStep('quote', 'q1', () => {}, { timeout: '10m' }),
  )
  const quote = trip.answerHandler('quote', () => log.push('answered'), {
    onTimeout: () => log.push('timed out'),
  })
  await trip.start({ key: 'k' })
  await deliver(cloud, 'book', book)
  harness.clock.advance(12 * 60_000)
  const sweep = sweeperOf(harness)
  expect(await sweep()).toMatchObject({ reminded: 1 })
  await deliver(cloud, 'quotes', quote)
  expect(withoutRepeats(log)).toEqual(['timed out'])
  expect(await sweep()).toMatchObject({ reminded: 0, looked: 0 })
})

it(
  'a timeout that its queue refuses is reported, and sent by the next sweep',
  TO_THE_HOUR,
  async () => {
    const harness = flowHarness(cloud)
    const trip = tripOn(cloud, harness)
    const book = trip.stageHandler('book', (_booking, ctx) =>
      ctx.awaitStep('quote', 'q1', () => {}, { timeout: '10m' }),
    )
    await trip.start({ key: 'k' }, { uniqueRequestId: 'r1' })
    await deliver(cloud, 'book', book)
    const goesTo = (queueUrl: string) =>
      harness.store.update([
        { key: { pk: 'flow#trip/k', sk: 'await#quote#r1' }, where: [], set: { queueUrl } },
      ])
    harness.clock.advance(12 * 60_000)
    const sweep = sweeperOf(harness)
    await goesTo(`${cloud.queueUrl('quotes')}-gone`)
    expect(await sweep()).toEqual({ ...NOTHING, looked: 1, failed: 1 })
    await goesTo(cloud.queueUrl('quotes'))
    expect(await sweep()).toEqual({ ...NOTHING, looked: 1, reminded: 1 })
  },
)

it(
  'a step that waits again since its request came back meanwhile stays listed',
  TO_THE_HOUR,
  async () => {
    const harness = flowHarness(cloud)
    const trip = tripOn(cloud, harness)
    let broken = true
    const book = trip.stageHandler('book', async (_booking, ctx) => {
      await ctx.awaitStep('quote', 'q1', () => {}, { timeout: '10m' })
      if (broken) throw new TerminalError('no seat')
    })
    await trip.start({ key: 'k' })
    await deliver(cloud, 'book', book)
    broken = false
    harness.clock.advance(12 * 60_000)
    const { store, options, clock } = harness
    /** Called right after the sweeper has seen that the run is over. */
    const between: typeof store = {
      ...store,
      read: async (keys, how) => {
        const read = await store.read(keys, how)
        if (keys.some(({ sk }) => sk === 'stage')) {
          for (const deadLetter of await receive(cloud, 'dead'))
            await sendCopy(cloud, 'book', deadLetter)
          await deliver(cloud, 'book', book)
        }
        return read
      },
    }
    await sweepHandler({
      store: between,
      logger: options.logger,
      clock,
      clients: { sqs: cloud.sqs },
    })()
    clock.advance(12 * 60_000)
    expect(await sweeperOf(harness)()).toMatchObject({ reminded: 1 })
  },
)

it('what was claimed or done since the index was written is not reported as missing', async () => {
  const { store, options, clock } = flowHarness(cloud)
  const asListed = documented(memoryStore())
  const token = { sk: 'token', attemptId: 'a', attempt: 1, fence: 1 }
  const due = { status: 'inProgress', statusShard: 'inProgress#1', dueAt: 1 }
  await asListed.create([
    { pk: 'lock#orders/1', ...token, ...due },
    { pk: 'lock#orders/2', ...token, ...due },
  ])
  await store.create([
    { pk: 'lock#orders/1', ...token, ...due, dueAt: clock.now() + HOUR },
    { pk: 'lock#orders/2', ...token, status: 'complete' },
  ])
  /** The index is behind, and so are eventually consistent reads. */
  const behind: typeof store = {
    ...store,
    due: asListed.due,
    read: (keys, how) => (how?.consistent === true ? store : asListed).read(keys, how),
  }
  const sweep = sweepHandler({ store: behind, logger: options.logger, clock })
  expect(await sweep()).toEqual({ ...NOTHING, looked: 2, unlisted: 2 })
})

it('a step whose run is over is not listed any more', async () => {
  const harness = flowHarness(cloud)
  const trip = tripOn(cloud, harness)
  const book = trip.stageHandler('book', (_booking, ctx) =>
    ctx.awaitStep('quote', 'q1', () => {}, { timeout: '10m' }),
  )
  await trip.start({ key: 'k' })
  await deliver(cloud, 'book', book)
  await trip.reset('k')
  harness.clock.advance(12 * 60_000)
  const sweep = sweeperOf(harness)
  expect(await sweep()).toEqual({ ...NOTHING, looked: 1, unlisted: 1 })
  expect(await sweep()).toEqual(NOTHING)
})

it('queues an event that was accepted, and whose queueing failed', async () => {
  const harness = flowHarness(cloud)
  const { store, clock } = harness
  const callbacks = onceForever({
    store,
    name: 'default',
    clients: { sqs: cloud.sqs },
    clock,
    logger: harness.options.logger,
  })
  const gone = `${cloud.queueUrl('outside')}-gone`
  await expect(callbacks.thenEnqueue('tx-1', { n: 1 }, { queueUrl: gone })).rejects.toThrow(
    'did not take the message',
  )
  const [item] = store.items()
  await store.update([
    {
      key: { pk: textOf(item?.['pk']), sk: 'once' },
      where: [],
      set: { letter: textOf(item?.['letter']).replaceAll(gone, cloud.queueUrl('outside')) },
    },
  ])
  clock.advance(130_000)
  const sweep = sweeperOf(harness)
  expect(await sweep()).toMatchObject({ queued: 1 })
  expect((await receive(cloud, 'outside')).map(({ body }) => body)).toEqual(['{"n":1}'])
  expect(await sweep()).toEqual(NOTHING)
})

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : ''
}

it('examines a limited number in one run, page by page, and continues after one that cannot be read', async () => {
  const harness = flowHarness(cloud)
  const items = Array.from({ length: 250 }, (_, nth) => ({
    pk: `lock#orders/${nth}`,
    sk: 'token',
    status: 'inProgress',
    attemptId: 'a',
    attempt: 1,
    fence: 1,
    statusShard: `inProgress#${nth % 2}`,
    dueAt: nth + 1,
  }))
  await harness.store.create(items)
  await harness.store.create([
    { pk: 'flow#trip/x', sk: 'stage', epoch: 'new', statusShard: 'running#1', dueAt: 1 },
  ])
  const { store, options, clock } = harness
  const some = sweepHandler({ store, logger: options.logger, clock, most: 10 })
  expect(await some()).toMatchObject({ looked: 11, overdue: 10 })
  expect(await sweeperOf(harness)()).toMatchObject({ looked: 251, overdue: 250, notKnown: 1 })
})

it(
  'a timeout whose consumer is paused is sent again after growing pauses, not by each sweep',
  TO_THE_HOUR,
  async () => {
    const harness = flowHarness(cloud)
    const trip = tripOn(cloud, harness, { giveUpAfter: '7d' })
    const book = trip.stageHandler('book', (_booking, ctx) =>
      ctx.awaitStep('quote', 'q1', () => {}, { timeout: '10m' }),
    )
    await trip.start({ key: 'k' })
    await deliver(cloud, 'book', book)
    harness.clock.advance(12 * 60_000)
    const sweep = sweeperOf(harness)
    let reminded = 0
    for (let minute = 0; minute < 24 * 60; minute++) {
      reminded += (await sweep()).reminded
      harness.clock.advance(60_000)
    }
    expect(reminded).toBeGreaterThan(4)
    expect(reminded).toBeLessThan(14)
  },
)

const parkedToken = (pk: string, statusShard: string, dueAt = 1) => ({
  pk,
  sk: 'token',
  status: 'inProgress',
  attemptId: 'a',
  attempt: 1,
  fence: 1,
  statusShard,
  dueAt,
})

it('items that wait for an operator hide no others: each is swept in turn, and all are counted', async () => {
  const harness = flowHarness(cloud)
  const { store, clock, options } = harness
  const dead = Array.from({ length: 300 }, (_, nth) =>
    parkedToken(`lock#refunds/${nth}`, `inProgress#${nth % 8}`, nth + 1),
  )
  await store.create(dead)
  const read = new Set<string>()
  const watched: typeof store = {
    ...store,
    read: (keys, how) => {
      for (const { pk } of keys) read.add(pk)
      return store.read(keys, how)
    },
  }
  const sweep = sweepHandler({
    store: watched,
    logger: options.logger,
    clock,
    most: 100,
    search: false,
  })
  for (let run = 0; run < 3; run++) {
    expect(await sweep()).toMatchObject({ looked: 100, overdue: 100 })
    expect(harness.lines.at(-1)).toMatchObject({ message: 'swept', missingTasks: 300 })
  }
  expect(read.size).toBe(300)
})

it('a key whose holder crashed a day ago is no longer listed; one that was called again is', async () => {
  const harness = flowHarness(cloud)
  const { store, clock } = harness
  const locks = lockTokens({ store, name: 'refunds', clock, logger: harness.options.logger })
  await locks.begin('forgotten', 'me', 1_000)
  await locks.begin('held', 'me', 3 * 86_400_000)
  const sweep = sweeperOf(harness)
  clock.advance(HOUR)
  expect(await sweep()).toEqual({ ...NOTHING, looked: 1, overdue: 1 })
  clock.advance(25 * HOUR)
  expect(await sweep()).toEqual({ ...NOTHING, looked: 1, unlisted: 1 })
  expect(await sweep()).toEqual(NOTHING)
  expect((await locks.begin('held', 'me', 1_000)).existing).toMatchObject({ status: 'inProgress' })
  expect((await locks.begin('forgotten', 'me', 1_000)).existing).toBeUndefined()
  clock.advance(HOUR)
  expect(await sweep()).toEqual({ ...NOTHING, looked: 1, overdue: 1 })
})
