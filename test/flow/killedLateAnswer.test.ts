import type { LocalCloud } from 'lineclear/local'
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest'
import { notIn } from '../proof/hostile/mode.ts'
import { deliver, flowHarness, emptyAll, send, startFlowCloud } from './flowHarness.ts'
import { OUTAGE } from './outages.ts'
import { tripOn } from './trip.ts'

let cloud: LocalCloud
beforeAll(async () => {
  cloud = await startFlowCloud()
})
afterEach(() => emptyAll(cloud))
afterAll(() => cloud.stop())

const calm = notIn(
  ['twice', 'atOnce', 'lost', 'dying', 'ten', 'killed'],
  'it counts deliveries one by one',
)

it(
  'a late answer whose last attempt ended without a write reaches onLate at its redelivery',
  calm,
  async () => {
    const harness = flowHarness(cloud)
    const trip = tripOn(cloud, harness)
    const attempts: number[] = []
    const book = trip.stageHandler('book', (_booking, ctx) =>
      ctx.awaitStep('quote', 'q1', () => {}),
    )
    const { store } = harness
    const { update } = store
    const quote = trip.answerHandler('quote', () => {}, {
      onLate: (_quote, ctx) => {
        attempts.push(ctx.attempt)
        // As after a kill: the token still says that the attempt runs.
        if (ctx.attempt === 1) store.update = async (updates) => updates.map(() => OUTAGE)
      },
    })
    await trip.start({ key: 'k' })
    await deliver(cloud, 'book', book)
    await trip.reset('k')
    await send(cloud, 'quotes', { quoteId: 'q1', price: 5 })
    expect(await deliver(cloud, 'quotes', quote)).toEqual({ came: 1, kept: 1 })
    store.update = update
    harness.clock.advance(60_000)
    expect(await deliver(cloud, 'quotes', quote)).toEqual({ came: 1, kept: 0 })
    expect(attempts).toEqual([1, 2])
  },
)
