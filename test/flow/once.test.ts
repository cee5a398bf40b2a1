import { defineFlow } from 'lineclear'
import type { LocalCloud } from 'lineclear/local'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { notIn } from '../proof/hostile/mode.ts'
import {
  deliver,
  type FlowHarness,
  flowHarness,
  emptyAll,
  receive,
  send,
  startFlowCloud,
} from './flowHarness.ts'
import { Booking, Quote, tripOn } from './trip.ts'

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

/** Delivered until it is dead-lettered. @returns what the dead letter says */
async function untilDead(queue: 'pay' | 'quotes', handler: Parameters<typeof deliver>[2]) {
  for (let attempt = 0; attempt < 6; attempt++) await deliver(cloud, queue, handler)
  const [deadLetter] = await receive(cloud, 'dead')
  return deadLetter?.messageAttributes['lineclear']?.stringValue ?? ''
}

describe('a step that a run has waited for', () => {
  const flowOf = (harness: FlowHarness) => tripOn(cloud, harness, { retry: { maxAttempts: 2 } })

  it.each([
    ['the same id', 'q1'],
    ['another id', 'q2'],
  ])('is refused to a second stage, at the call: %s', calm, async (_which, id) => {
    const harness = flowHarness(cloud)
    const trip = flowOf(harness)
    const asked: string[] = []
    const book = trip.stageHandler('book', async (_booking, ctx) => {
      await ctx.awaitStep('quote', 'q1', () => asked.push('book'))
      await ctx.next('pay', { key: ctx.key, price: 1 })
    })
    const pay = trip.stageHandler('pay', (_payment, ctx) =>
      ctx.awaitStep('quote', id, () => asked.push('pay')),
    )
    await trip.start({ key: 'k' })
    await deliver(cloud, 'book', book)
    const error = await untilDead('pay', pay)
    expect(error).toContain("stage 'book' of this run waits for it, or has waited")
    expect(asked).toEqual(['book'])
    // The first one is not harmed: its answer ends the run, which has died.
    const quote = trip.answerHandler('quote', () => asked.push('answered'))
    await send(cloud, 'quotes', { quoteId: 'q1', price: 5 })
    await deliver(cloud, 'quotes', quote)
    expect(asked).toEqual(['book', 'answered'])
    expect(harness.record()).not.toHaveProperty('uniquerequestid')
  })

  it('is refused to its own handler', calm, async () => {
    const harness = flowHarness(cloud)
    const trip = flowOf(harness)
    const asked: string[] = []
    const book = trip.stageHandler('book', (_booking, ctx) =>
      ctx.awaitStep('quote', 'q1', () => asked.push('book')),
    )
    const quote = trip.answerHandler('quote', (_quote, ctx) =>
      ctx.awaitStep('quote', 'q2', () => asked.push('again')),
    )
    await trip.start({ key: 'k' })
    await deliver(cloud, 'book', book)
    await send(cloud, 'quotes', { quoteId: 'q1', price: 5 })
    expect(await untilDead('quotes', quote)).toContain('a run can wait for each step only once')
    expect(asked).toEqual(['book'])
    expect(harness.record()).not.toHaveProperty('uniquerequestid')
  })

  it('is waited for again by another attempt of the same stage', calm, async () => {
    const harness = flowHarness(cloud)
    const trip = flowOf(harness)
    const log: string[] = []
    const book = trip.stageHandler('book', async (_booking, ctx) => {
      await ctx.awaitStep('quote', 'q1', () => log.push('asked'))
      if (ctx.attempt === 1) throw new Error('not now')
    })
    const quote = trip.answerHandler('quote', () => log.push('answered'))
    await trip.start({ key: 'k' })
    await deliver(cloud, 'book', book)
    await deliver(cloud, 'book', book)
    await send(cloud, 'quotes', { quoteId: 'q1', price: 5 })
    await deliver(cloud, 'quotes', quote)
    expect(log).toEqual(['asked', 'asked', 'answered'])
    expect(harness.record()).not.toHaveProperty('uniquerequestid')
  })
})

describe('a stage that has led to this one', () => {
  it(
    'is not entered again: the call is refused, and the run does not stay open',
    calm,
    async () => {
      const harness = flowHarness(cloud)
      const flow = defineFlow({
        name: 'trip',
        key: ({ key }: { readonly key: string }) => key,
        stages: {
          a: { schema: Booking, queueUrl: cloud.queueUrl('book') },
          b: { schema: Booking, queueUrl: cloud.queueUrl('pay') },
          c: { schema: Booking, queueUrl: cloud.queueUrl('ship') },
        },
        awaitingSteps: { quote: { schema: Quote, id: ({ quoteId }) => quoteId } },
        ...harness.options,
        retry: { delay: () => 0, maxAttempts: 1 },
      })
      const ran: string[] = []
      const a = flow.stageHandler('a', (_payload, ctx) => ctx.next('b', { key: ctx.key }))
      const b = flow.stageHandler('b', (_payload, ctx) => ctx.next('c', { key: ctx.key }))
      const c = flow.stageHandler('c', async (_payload, ctx) => {
        await ctx.next('b', { key: ctx.key }).catch((error: Error) => ran.push(error.message))
      })
      await flow.start({ key: 'k' })
      await deliver(cloud, 'book', a)
      await deliver(cloud, 'pay', b)
      await deliver(cloud, 'ship', c)
      expect(ran).toEqual([expect.stringContaining('each stage runs once in a run')])
      expect(harness.settled.at(-1)?.kind).toBe('deadLettered')
      expect(harness.record()).not.toHaveProperty('uniquerequestid')
    },
  )
})

describe('ctx.fence', () => {
  it(
    'grows with each attempt at a stage, whichever request of the key it is of',
    calm,
    async () => {
      const harness = flowHarness(cloud)
      const trip = tripOn(cloud, harness, { onConflict: 'defer' })
      const fences: number[] = []
      const book = trip.stageHandler('book', (_booking, ctx) => {
        fences.push(ctx.fence)
        if (fences.length === 1) throw new Error('not now')
      })
      await trip.start({ key: 'k' })
      await deliver(cloud, 'book', book)
      await deliver(cloud, 'book', book)
      // Of two requests of one millisecond chance would say which is newer.
      harness.clock.advance(1_000)
      await trip.start({ key: 'k' })
      await deliver(cloud, 'book', book)
      expect(fences).toHaveLength(3)
      expect(fences).toEqual([...new Set(fences)].toSorted((a, b) => a - b))
    },
  )

  it(
    'is higher than all before when DynamoDB has deleted the record of the key',
    calm,
    async () => {
      const fences: number[] = []
      const hours = [0, 10 * 365 * 24]
      for (const hour of hours) {
        // Each has a table of its own, which knows nothing of the key.
        const harness = flowHarness(cloud)
        harness.clock.advance(hour * 3_600_000)
        const trip = tripOn(cloud, harness)
        const book = trip.stageHandler('book', (_booking, ctx) => {
          fences.push(ctx.fence)
          if (fences.length < 5) throw new Error('not now')
        })
        await trip.start({ key: 'k' })
        for (let attempt = 0; attempt < 3; attempt++) await deliver(cloud, 'book', book)
        await emptyAll(cloud)
      }
      expect(fences.length).toBeGreaterThan(4)
      expect(fences).toEqual([...new Set(fences)].toSorted((a, b) => a - b))
    },
  )
})

describe('a delay', () => {
  it.each([
    ['that ends with the run', '24h', 0],
    ['that fits into it', '23h', 1],
  ] as const)('%s: %s', calm, async (_what, delay, came) => {
    const harness = flowHarness(cloud)
    const trip = tripOn(cloud, harness)
    const errors: string[] = []
    const book = trip.stageHandler('book', async (_booking, ctx) => {
      const sent = ctx.next('ship', { key: ctx.key }, { delay })
      await sent.catch((error: Error) => errors.push(error.message))
    })
    await trip.start({ key: 'k' })
    await deliver(cloud, 'book', book)
    expect(errors).toHaveLength(1 - came)
    expect(errors.every((error) => error.includes('giveUpAfter'))).toBe(true)
  })
})
