import type { LocalCloud } from 'lineclear/local'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { notIn } from '../proof/hostile/mode.ts'
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
const RUN = { name: 'trip', key: 'k', id: 'r1', epoch: 1, sentAt: 1, from: 'book' }

const forge = (queue: 'pay' | 'ship' | 'book', body: string, run: object): Promise<void> =>
  sendCopy(cloud, queue, {
    body,
    messageAttributes: {
      lineclear: {
        dataType: 'String',
        stringValue: JSON.stringify({ format: 1, flow: { ...RUN, ...run } }),
      },
    },
  })

describe('a message that names a run which has not sent it', () => {
  it.each([
    ['from a stage that does not exist', { from: 'nowhere' }],
    ['from a stage that handed on to another one', {}],
    ['from itself', { from: 'pay' }],
  ])('%s is dead-lettered, and the run continues', calm, async (_what, run) => {
    const harness = flowHarness(cloud)
    const trip = tripOn(cloud, harness)
    const ran: unknown[] = []
    const book = trip.stageHandler('book', (_booking, ctx) => ctx.next('ship', { key: ctx.key }))
    const pay = trip.stageHandler('pay', ({ price }) => ran.push(price))
    const ship = trip.stageHandler('ship', () => ran.push('ship'))
    await trip.start({ key: 'k' }, { uniqueRequestId: 'r1' })
    await deliver(cloud, 'book', book)
    await forge('pay', '{"key":"k","price":-1}', run)
    await deliver(cloud, 'pay', pay)
    expect(harness.settled.at(-1)).toEqual({ kind: 'deadLettered', reason: 'not handed on' })
    await forge('pay', 'nonsense', run)
    await deliver(cloud, 'pay', pay)
    expect(harness.settled.at(-1)).toEqual({ kind: 'deadLettered', reason: 'not handed on' })
    await deliver(cloud, 'ship', ship)
    expect(ran).toEqual(['ship'])
    expect(harness.record()).not.toHaveProperty('uniquerequestid')
  })

  it('does not take over a stage that waits for its retry', calm, async () => {
    const harness = flowHarness(cloud)
    const trip = tripOn(cloud, harness)
    const ran: unknown[] = []
    const book = trip.stageHandler('book', (_booking, ctx) =>
      ctx.next('pay', { key: ctx.key, price: 1 }),
    )
    const pay = trip.stageHandler('pay', ({ price }, ctx) => {
      ran.push(price)
      if (ctx.attempt === 1) throw new Error('not now')
    })
    await trip.start({ key: 'k' }, { uniqueRequestId: 'r1' })
    await deliver(cloud, 'book', book)
    await deliver(cloud, 'pay', pay)
    const copies = await receive(cloud, 'pay')
    await forge('pay', '{"key":"k","price":-1}', { from: 'nowhere' })
    await deliver(cloud, 'pay', pay)
    expect(harness.settled.at(-1)).toEqual({ kind: 'deadLettered', reason: 'not handed on' })
    await hand(cloud, 'pay', copies, pay)
    expect(ran).toEqual([1, 1])
    expect(harness.settled.at(-1)).toEqual({ kind: 'completed' })
  })

  it(
    'waits while the stage that it names is open, until that stage has settled',
    calm,
    async () => {
      const harness = flowHarness(cloud)
      const trip = tripOn(cloud, harness)
      const ran: unknown[] = []
      let fails = true
      const book = trip.stageHandler('book', () => {
        if (fails) throw new Error('not now')
      })
      const pay = trip.stageHandler('pay', ({ price }) => ran.push(price))
      await trip.start({ key: 'k' }, { uniqueRequestId: 'r1' })
      await deliver(cloud, 'book', book)
      await forge('pay', '{"key":"k","price":-1}', {})
      expect(await deliver(cloud, 'pay', pay)).toEqual({ came: 1, kept: 1 })
      fails = false
      await deliver(cloud, 'book', book)
      expect(harness.settled.at(-1)?.kind).toBe('completed')
      await deliver(cloud, 'pay', pay)
      expect(ran).toEqual([])
    },
  )

  it('of the first stage chooses no version, and no other request', calm, async () => {
    const harness = flowHarness(cloud)
    const trip = tripOn(cloud, harness)
    const ran: unknown[] = []
    const book = trip.stageHandler('book', ({ n }) => ran.push(n))
    const year = harness.clock.now() + 300 * 86_400_000
    await forge('book', '{"key":"k","n":1}', { sentAt: year, from: '' })
    await deliver(cloud, 'book', book)
    harness.clock.advance(10_000)
    await trip.start({ key: 'k', n: 2 })
    await deliver(cloud, 'book', book)
    expect(ran).toEqual([1, 2])
  })
})

describe('what no table takes', () => {
  it.each([
    ['a flow key of 2,300 characters', { key: 'k'.repeat(2_300) }, 1],
    ['a flow key with half a character', { key: 'k\ud800' }, 1],
    ['a sender of 2,300 characters', { from: 'x'.repeat(2_300) }, 1],
  ])('%s fails alone, and not the messages beside it', calm, async (_what, run, deadLetters) => {
    const harness = flowHarness(cloud)
    const trip = tripOn(cloud, harness)
    const ran: string[] = []
    const book = trip.stageHandler('book', (_booking, ctx) => ctx.next('ship', { key: ctx.key }))
    const ship = trip.stageHandler('ship', (_shipping, ctx) => ran.push(ctx.key))
    for (const key of ['k', 'l']) await trip.start({ key }, { uniqueRequestId: `r-${key}` })
    await deliver(cloud, 'book', book)
    await forge('ship', '{"key":"k"}', { ...run, id: 'r-k' })
    expect(await deliver(cloud, 'ship', ship)).toEqual({ came: 3, kept: 0 })
    expect(ran.toSorted()).toEqual(['k', 'l'])
    expect(await receive(cloud, 'dead')).toHaveLength(deadLetters)
  })

  it('an external id of 2,400 characters is taken like any other', calm, async () => {
    const harness = flowHarness(cloud)
    const trip = tripOn(cloud, harness)
    const log: string[] = []
    const id = 'q'.repeat(2_400)
    const book = trip.stageHandler('book', (_booking, ctx) => ctx.awaitStep('quote', id, () => {}))
    const quote = trip.answerHandler('quote', (_quote, ctx) => log.push(ctx.externalId))
    await trip.start({ key: 'k' })
    await deliver(cloud, 'book', book)
    await send(cloud, 'quotes', { quoteId: `${id}q`, price: 1 })
    await send(cloud, 'quotes', { quoteId: id, price: 1 })
    await deliver(cloud, 'quotes', quote)
    expect(log).toEqual([id])
  })
})
