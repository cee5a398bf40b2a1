import { TerminalError } from 'lineclear'
import type { LocalCloud } from 'lineclear/local'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { notIn } from '../proof/hostile/mode.ts'
import {
  deliver,
  flowHarness,
  emptyAll,
  receive,
  send,
  sendCopy,
  startFlowCloud,
} from './flowHarness.ts'
import { unread } from './outages.ts'
import { counting, tripOn } from './trip.ts'

let cloud: LocalCloud
beforeAll(async () => {
  cloud = await startFlowCloud()
})
afterEach(() => emptyAll(cloud))
afterAll(() => cloud.stop())

const calm = notIn(
  ['twice', 'atOnce', 'lost', 'dying', 'ten', 'killed'],
  'it has faults of its own',
)

/** A run that waits for a quote. */
async function waiting() {
  const harness = flowHarness(cloud)
  const trip = tripOn(cloud, harness)
  const book = trip.stageHandler('book', (_booking, ctx) =>
    ctx.awaitStep('quote', 'q1', () => {}, { timeout: '1h' }),
  )
  const quote = trip.answerHandler('quote', (_quote, ctx) =>
    ctx.write('quoted', counting('quotes')),
  )
  await trip.start({ key: 'k' }, { uniqueRequestId: 'r1' })
  await deliver(cloud, 'book', book)
  return { harness, trip, quote }
}

const ANSWER = { quoteId: 'q1', price: 5 }

describe('a store that gives no answer to a read', () => {
  it(
    'leaves a redriven dead letter on its queue until the state of its dead run can be read',
    calm,
    async () => {
      const harness = flowHarness(cloud)
      const trip = tripOn(cloud, harness)
      let broken = true
      const book = trip.stageHandler('book', async (_booking, ctx) => {
        if (broken) throw new TerminalError('broken')
        await ctx.write('seat', counting('seats'))
      })
      await trip.start({ key: 'k' }, { uniqueRequestId: 'r1' })
      await deliver(cloud, 'book', book)
      const [deadLetter] = await receive(cloud, 'dead')
      if (deadLetter === undefined) throw new Error('no dead letter')
      broken = false
      await sendCopy(cloud, 'book', deadLetter)
      unread(harness, ({ sk }) => sk === 'dead#r1')
      expect(await deliver(cloud, 'book', book)).toEqual({ came: 1, kept: 1 })
      expect(await deliver(cloud, 'book', book)).toEqual({ came: 1, kept: 0 })
      expect(harness.count('seats')).toBe(1)
    },
  )

  it('does not run a request again whose receipt it cannot read', calm, async () => {
    const harness = flowHarness(cloud)
    const trip = tripOn(cloud, harness, { process: 'every' })
    const book = trip.stageHandler('book', (_booking, ctx) => ctx.write('seat', counting('seats')))
    const at = harness.clock.now() - 100
    const start = (nth: number): Promise<unknown> =>
      trip.start({ key: 'k' }, { uniqueRequestId: `r${nth}`, sentAt: at + nth })
    for (let nth = 0; nth < 9; nth++) {
      await start(nth)
      await deliver(cloud, 'book', book)
    }
    await start(0)
    unread(harness, ({ sk }) => sk.startsWith('done#'))
    expect(await deliver(cloud, 'book', book)).toEqual({ came: 1, kept: 1 })
    expect(await deliver(cloud, 'book', book)).toEqual({ came: 1, kept: 0 })
    expect(harness.count('seats')).toBe(9)
  })

  it('does not dead-letter an answer as one that matches no step', calm, async () => {
    const { harness, quote } = await waiting()
    await send(cloud, 'quotes', ANSWER)
    harness.clock.advance(6 * 3_600_000)
    unread(harness, ({ sk }) => sk === 'waiters')
    expect(await deliver(cloud, 'quotes', quote)).toEqual({ came: 1, kept: 1 })
    expect(await deliver(cloud, 'quotes', quote)).toEqual({ came: 1, kept: 0 })
    expect(harness.count('quotes')).toBe(1)
  })

  it('does not tell a caller that the run is over which its answer is for', calm, async () => {
    const { harness, trip } = await waiting()
    unread(harness, ({ sk }) => sk === 'stage')
    await expect(trip.answer('quote', ANSWER)).rejects.toThrow('injected')
    expect(await trip.answer('quote', ANSWER)).toBe('accepted')
  })

  it('does not tell a caller that a run was reset', calm, async () => {
    const { harness, trip } = await waiting()
    unread(harness, ({ sk }) => sk === 'stage')
    await expect(trip.reset('k')).rejects.toThrow('injected')
    expect(harness.record()).toHaveProperty('uniquerequestid')
  })
})
