import type { LocalCloud } from 'lineclear/local'
import { memoryStore } from 'lineclear/testing'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import type { SqsHandler } from '../../src/library/entries/consumer/recordHandler.ts'
import type { Item, StoreKey } from '../../src/library/protocol/store/store.ts'
import { notIn } from '../proof/hostile/mode.ts'
import {
  deliver,
  type FlowHarness,
  flowHarness,
  emptyAll,
  receive,
  send,
  sendCopy,
  startFlowCloud,
} from './flowHarness.ts'
import { tripOn } from './trip.ts'

let cloud: LocalCloud
beforeAll(async () => {
  cloud = await startFlowCloud()
})
afterEach(() => emptyAll(cloud))
afterAll(() => cloud.stop())

const calm = notIn(
  ['twice', 'atOnce', 'lost', 'dying', 'ten', 'killed', 'clocks'],
  'it counts deliveries one by one',
)
const HOUR = 3_600_000
const isStep = (sk: unknown): boolean => typeof sk === 'string' && sk.startsWith('await#')

/** The table as it was, or without what it held. */
async function restore({ store }: FlowHarness, items: readonly Item[] = []): Promise<void> {
  const table = memoryStore()
  await table.create(items as readonly (Item & StoreKey)[])
  Object.assign(store, table)
}

function trip(harness: FlowHarness, options: Parameters<typeof tripOn>[2] = {}) {
  const flow = tripOn(cloud, harness, options)
  const log: string[] = []
  const fails = { book: false, ship: false }
  const book = flow.stageHandler('book', async (_booking, ctx) => {
    log.push('book')
    if (fails.book) throw new Error('not now')
    await ctx.next('ship', { key: ctx.key })
  })
  const ship = flow.stageHandler('ship', async () => {
    log.push('ship')
    if (fails.ship) throw new Error('not now')
  })
  return { flow, log, fails, book, ship }
}

const LOST = { kind: 'deadLettered', reason: 'lost record' }

describe('a message that is younger than the record of its run', () => {
  it.each([
    ['gone', false],
    ['as it was before the run', true],
  ])('of a later stage is dead-lettered, not dropped: the record is %s', calm, async (_w, was) => {
    const harness = flowHarness(cloud)
    const { flow, log, book, ship } = trip(harness)
    await flow.start({ key: 'k' }, { uniqueRequestId: 'r0', sentAt: harness.clock.now() - 2 })
    await deliver(cloud, 'book', book)
    await deliver(cloud, 'ship', ship)
    const before = harness.store.items()
    await flow.start({ key: 'k' }, { uniqueRequestId: 'r1', sentAt: harness.clock.now() - 1 })
    await deliver(cloud, 'book', book)
    await restore(harness, was ? before : [])
    await deliver(cloud, 'ship', ship)
    expect(harness.settled.at(-1)).toEqual(LOST)
    expect(log).toEqual(['book', 'ship', 'book'])
  })

  it.each(['newest', 'every'] as const)(
    'a copy of the first stage is dead-lettered, not started again (order %s)',
    calm,
    async (process) => {
      const harness = flowHarness(cloud)
      const { flow, log, fails, book } = trip(harness, { process })
      fails.book = true
      await flow.start({ key: 'k' })
      await deliver(cloud, 'book', book)
      await restore(harness)
      await deliver(cloud, 'book', book)
      expect(harness.settled.at(-1)).toEqual(LOST)
      expect(log).toEqual(['book'])
    },
  )

  it.each([
    ['gone', 0],
    ['gone, and it comes back twice', 1],
  ])('a redriven dead letter is dead-lettered again: the record is %s', calm, async (_w, n) => {
    const harness = flowHarness(cloud)
    const { flow, log, fails, book, ship } = trip(harness, { retry: { maxAttempts: 1 } })
    fails.ship = true
    await flow.start({ key: 'k' })
    await deliver(cloud, 'book', book)
    await deliver(cloud, 'ship', ship)
    await restore(harness)
    for (let again = 0; again <= n; again++) {
      const [deadLetter] = await receive(cloud, 'dead')
      if (deadLetter === undefined) throw new Error('no dead letter')
      await emptyAll(cloud)
      await sendCopy(cloud, 'ship', deadLetter)
      await deliver(cloud, 'ship', ship)
      expect(harness.settled.at(-1)).toEqual(LOST)
    }
    expect(log).toEqual(['book', 'ship'])
  })

  it('is too old once the record may have expired', calm, async () => {
    const harness = flowHarness(cloud)
    const { flow, book, ship } = trip(harness, { retention: '2d' })
    await flow.start({ key: 'k' })
    await deliver(cloud, 'book', book)
    await restore(harness)
    harness.clock.advance(49 * HOUR)
    await deliver(cloud, 'ship', ship)
    expect(harness.settled.at(-1)).toEqual({ kind: 'deadLettered', reason: 'too old' })
  })
})

describe('an attempt whose record vanishes', () => {
  it('leaves its message on the queue, which is then dead-lettered', calm, async () => {
    const harness = flowHarness(cloud)
    const { flow, book } = trip(harness)
    const ship = flow.stageHandler('ship', () => restore(harness))
    await flow.start({ key: 'k' })
    await deliver(cloud, 'book', book)
    expect(await deliver(cloud, 'ship', ship)).toEqual({ came: 1, kept: 1 })
    expect(await deliver(cloud, 'ship', ship)).toEqual({ came: 1, kept: 0 })
    expect(harness.settled.at(-1)).toEqual(LOST)
  })
})

describe('a step that vanishes while its run waits', () => {
  const asking = (harness: FlowHarness) => {
    const flow = tripOn(cloud, harness)
    const log: string[] = []
    const book = flow.stageHandler('book', (_booking, ctx) =>
      ctx.awaitStep('quote', 'q1', () => {}, { timeout: '10m' }),
    )
    const quote = flow.answerHandler('quote', () => log.push('answered'), {
      onTimeout: () => log.push('timeout'),
    })
    return { flow, log, book, quote }
  }

  async function reminderOf(book: SqsHandler, queue: FlowHarness): Promise<void> {
    await deliver(cloud, 'book', book)
    // It is on the queue with its delay; the test sends a copy of it at once.
    const item = queue.store.items().find(({ sk }) => isStep(sk))
    const { uniquerequestid: id, epoch, sentAt, from } = item ?? {}
    const run = { name: 'trip', key: 'k', id, epoch, sentAt, from, timeout: true }
    const stringValue = JSON.stringify({ format: 1, flow: run })
    await sendCopy(cloud, 'quotes', {
      body: '{"$lineclear":"timeout"}',
      messageAttributes: { lineclear: { dataType: 'String', stringValue } },
    })
  }

  it('ends the run with a dead letter when its time is up', calm, async () => {
    const harness = flowHarness(cloud)
    const { flow, log, book, quote } = asking(harness)
    await flow.start({ key: 'k' })
    await reminderOf(book, harness)
    await restore(
      harness,
      harness.store.items().filter(({ sk }) => !isStep(sk)),
    )
    await deliver(cloud, 'quotes', quote)
    expect(harness.settled.at(-1)).toEqual({ kind: 'deadLettered', reason: 'lost step' })
    expect(harness.record()).not.toHaveProperty('uniquerequestid')
    expect(log).toEqual([])
  })

  it('has a stale timeout when its run is over', calm, async () => {
    const harness = flowHarness(cloud)
    const { flow, book, quote } = asking(harness)
    await flow.start({ key: 'k' })
    await reminderOf(book, harness)
    await flow.reset('k')
    await restore(
      harness,
      harness.store.items().filter(({ sk }) => sk === 'stage'),
    )
    await deliver(cloud, 'quotes', quote)
    expect(harness.settled.at(-1)).toEqual({ kind: 'stale' })
  })

  it(
    'an answer that names its run, and an id that it does not wait for, is dead-lettered',
    calm,
    async () => {
      const harness = flowHarness(cloud)
      const { flow, log, book, quote } = asking(harness)
      await flow.start({ key: 'k' }, { uniqueRequestId: 'r1' })
      await deliver(cloud, 'book', book)
      const run = { name: 'trip', key: 'k', id: 'r1', epoch: 1, sentAt: 1, from: 'book' }
      const stringValue = JSON.stringify({ format: 1, flow: run })
      const messageAttributes = { lineclear: { dataType: 'String', stringValue } }
      await sendCopy(cloud, 'quotes', { body: '{"quoteId":"q9","price":1}', messageAttributes })
      await deliver(cloud, 'quotes', quote)
      expect(harness.settled.at(-1)).toEqual({ kind: 'deadLettered', reason: 'unknown step' })
      await send(cloud, 'quotes', { quoteId: 'q1', price: 5 })
      await deliver(cloud, 'quotes', quote)
      expect(log).toEqual(['answered'])
    },
  )
})
