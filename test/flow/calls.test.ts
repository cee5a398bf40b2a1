import { RetryableError } from 'lineclear'
import type { LocalCloud } from 'lineclear/local'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { notIn } from '../proof/hostile/mode.ts'
import { deliver, flowHarness, emptyAll, startFlowCloud } from './flowHarness.ts'
import { failing, unread } from './outages.ts'
import { tripOn } from './trip.ts'

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

async function started() {
  const harness = flowHarness(cloud)
  const trip = tripOn(cloud, harness)
  await trip.start({ key: 'k' }, { uniqueRequestId: 'r1' })
  return { harness, trip }
}

describe('an outside call of a stage', () => {
  it('is not made again because its stored result cannot be read', calm, async () => {
    const { harness, trip } = await started()
    let calls = 0
    const book = trip.stageHandler('book', async (_booking, ctx) => {
      await ctx.call('card', () => (calls += 1))
      if (ctx.attempt === 1) throw new Error('not yet')
    })
    await deliver(cloud, 'book', book)
    unread(harness, ({ sk }) => sk.startsWith('answer#'))
    await deliver(cloud, 'book', book)
    await deliver(cloud, 'book', book)
    expect(calls).toBe(1)
    expect(harness.record()).not.toHaveProperty('uniquerequestid')
  })

  it('is not made before its start is written', calm, async () => {
    const { harness, trip } = await started()
    let calls = 0
    const book = trip.stageHandler('book', (_booking, ctx) =>
      ctx.call('card', () => (calls += 1), { ifUnknown: 'stop' }),
    )
    failing(harness, 'update', ({ applied }) => applied !== undefined)
    await deliver(cloud, 'book', book)
    expect(calls).toBe(0)
    await deliver(cloud, 'book', book)
    expect(calls).toBe(1)
  })

  it('is made again when it certainly did not reach the other side', calm, async () => {
    const { harness, trip } = await started()
    let calls = 0
    const pay = (): void => {
      calls += 1
      if (calls < 3) throw new RetryableError('the line is busy')
    }
    const book = trip.stageHandler('book', (_booking, ctx) =>
      ctx.call('card', pay, { ifUnknown: 'stop' }),
    )
    for (let attempt = 1; attempt <= 3; attempt++) await deliver(cloud, 'book', book)
    expect(calls).toBe(3)
    expect(harness.settled.map(({ kind }) => kind)).toEqual(['resent', 'resent', 'completed'])
  })

  it('has its result stored for longer than late duplicates are recognised', calm, async () => {
    const { harness, trip } = await started()
    const book = trip.stageHandler('book', (_booking, ctx) => ctx.call('card', () => 'paid'))
    await deliver(cloud, 'book', book)
    const answer = harness.store.items().find(({ sk }) => sk === 'answer#r1#book:card')
    expect(answer?.['ttl']).toBeGreaterThan(Number(harness.record()?.['ttl']))
  })
})
