import type { LocalCloud } from 'lineclear/local'
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest'
import { notIn } from '../proof/hostile/mode.ts'
import { flowHarness, emptyAll, hand, receive, startFlowCloud } from './flowHarness.ts'
import { tripOn } from './trip.ts'

let cloud: LocalCloud
beforeAll(async () => {
  cloud = await startFlowCloud()
})
afterEach(() => emptyAll(cloud))
afterAll(() => cloud.stop())

const calm = notIn(
  ['twice', 'atOnce', 'lost', 'dying', 'ten', 'killed', 'clocks'],
  'it stops its own sandbox',
)

async function first() {
  const [record] = await receive(cloud, 'book')
  if (record === undefined) throw new Error('nothing came')
  return record
}
/** Milliseconds, enough to begin on a busy machine: the handlers run until then. */
const SHORT = 3_000
const aMoment = () => new Promise((resolve) => setTimeout(resolve, 30))

it(
  'a step that was being stored at the timeout is not requested when the sandbox thaws',
  calm,
  async () => {
    const harness = flowHarness(cloud)
    const { create } = harness.store
    const frozen = Promise.withResolvers<void>()
    const trip = tripOn(cloud, harness)
    const asked: string[] = []
    const book = trip.stageHandler('book', (_booking, ctx) => {
      harness.store.create = async (items) => {
        await frozen.promise
        return create(items)
      }
      return ctx.awaitStep('quote', 'q1', () => asked.push('asked'))
    })
    await trip.start({ key: 'k' })
    await hand(cloud, 'book', [await first()], book, SHORT)
    expect(harness.settled).toMatchObject([{ kind: 'timedOut' }])
    frozen.resolve()
    await aMoment()
    expect(asked).toEqual([])
  },
)

it(
  'a reset that was under way when the time was up ends no run when the sandbox thaws',
  calm,
  async () => {
    const harness = flowHarness(cloud)
    const { read } = harness.store
    const frozen = Promise.withResolvers<void>()
    const trip = tripOn(cloud, harness)
    const book = trip.stageHandler('book', (_booking, ctx) => {
      harness.store.read = async (...asked) => {
        await frozen.promise
        return read(...asked)
      }
      return ctx.reset()
    })
    await trip.start({ key: 'k' })
    await hand(cloud, 'book', [await first()], book, SHORT)
    frozen.resolve()
    await aMoment()
    expect(harness.record()).toHaveProperty('uniquerequestid')
  },
)

it(
  'an attempt whose claim was taken over does not reset the run of the attempt that has its stage',
  calm,
  async () => {
    const harness = flowHarness(cloud)
    const trip = tripOn(cloud, harness)
    const [late, other] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
    const log: unknown[] = []
    const book = trip.stageHandler('book', async (_booking, ctx) => {
      log.push(ctx.attempt)
      if (ctx.attempt === 2) return other.promise
      await late.promise
      await ctx.reset()
    })
    await trip.start({ key: 'k' })
    const record = await first()
    const overtaken = hand(cloud, 'book', [record], book)
    while (log.length < 1) await new Promise(setImmediate)
    harness.clock.advance(60_000)
    const holder = hand(cloud, 'book', [record], book)
    while (log.length < 2) await new Promise(setImmediate)
    late.resolve()
    expect(await overtaken).toEqual({ kept: 1 })
    expect(harness.record()).toHaveProperty('uniquerequestid')
    other.resolve()
    await holder
    expect(harness.settled.at(-1)).toEqual({ kind: 'completed' })
  },
)
