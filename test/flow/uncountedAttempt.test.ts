import { StoreUnavailableError } from 'lineclear'
import type { LocalCloud } from 'lineclear/local'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { notIn } from '../proof/hostile/mode.ts'
import { deliver, flowHarness, emptyAll, startFlowCloud } from './flowHarness.ts'
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

describe('an attempt that does not count, since a table did not answer', () => {
  it.each(['repeat', 'stop'] as const)(
    'has made its call: the next attempt, again the first, gets the result (ifUnknown: %s)',
    calm,
    async (ifUnknown) => {
      const harness = flowHarness(cloud)
      const trip = tripOn(cloud, harness)
      const calls: string[] = []
      const got: unknown[] = []
      const book = trip.stageHandler('book', async (_booking, ctx) => {
        const receipt = await ctx.call(
          'charge',
          () => {
            calls.push('charge')
            return calls.length
          },
          { ifUnknown },
        )
        got.push([ctx.attempt, receipt])
        if (got.length === 1) throw new StoreUnavailableError('no answer')
      })
      await trip.start({ key: 'k' })
      await deliver(cloud, 'book', book)
      harness.clock.advance(1_000_000)
      await deliver(cloud, 'book', book)
      expect(got).toEqual([
        [1, 1],
        [1, 1],
      ])
      expect(calls).toEqual(['charge'])
      expect(harness.settled.at(-1)?.kind).toBe('completed')
    },
  )
})
