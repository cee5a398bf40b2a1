import type { Store } from 'lineclear'
import type { LocalCloud } from 'lineclear/local'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import type { Update, WriteOutcome } from '../../src/library/protocol/store/store.ts'
import { calmOnly } from '../proof/hostile/mode.ts'
import { deliver, emptyAll, flowHarness, hand, receive, startFlowCloud } from './flowHarness.ts'
import { tripOn } from './trip.ts'

let cloud: LocalCloud
beforeAll(async () => {
  cloud = await startFlowCloud()
})
afterEach(() => emptyAll(cloud))
afterAll(() => cloud.stop())

const counts = calmOnly('counts the calls of the store')
type Answer = (updates: readonly Update[], store: Store) => Promise<readonly WriteOutcome[]>

interface Told {
  /** How the store answers updates once the first stages have ended. */
  readonly answer: Answer
  /** To which each first stage sends. */
  readonly stages: readonly ('pay' | 'ship')[]
  /** The second stage marks the start of its call. */
  readonly marks: boolean
}

const atOnce: Answer = (updates, store) => store.update(updates)

/**
 * Runs of `count` keys whose first stage has ended. `calls`: the requests of the next one to the store, by their first letter for each
 * entry; an update that asks for its item in capitals.
 */
async function booked(
  count: number,
  { answer = atOnce, stages = ['ship'], marks = false }: Partial<Told> = {},
) {
  const harness = flowHarness(cloud)
  const calls: string[] = []
  let isWatched = false
  const store: Store = {
    ...harness.store,
    update: (updates) => {
      calls.push(updates.map(({ needsNoItem }) => (needsNoItem ? 'u' : 'U')).join(''))
      return isWatched ? answer(updates, harness.store) : harness.store.update(updates)
    },
    read: (keys, options) => {
      calls.push('r'.repeat(keys.length))
      return harness.store.read(keys, options)
    },
  }
  const options = { ...harness.options, store: store as never }
  const trip = tripOn(cloud, { ...harness, options })
  const ran: string[] = []
  const book = trip.stageHandler('book', async (_booking, ctx) => {
    if (stages.includes('pay')) await ctx.next('pay', { key: ctx.key, price: 1 })
    await ctx.next('ship', { key: ctx.key })
  })
  const how = marks ? [{ ifUnknown: 'stop' } as const] : []
  const ship = trip.stageHandler('ship', async (_shipping, ctx) => {
    await ctx.call('label', async () => void ran.push(ctx.key), ...how)
  })
  const keys = Array.from({ length: count }, (_, nth) => `k${nth}`)
  for (const key of keys) await trip.start({ key })
  await deliver(cloud, 'book', book)
  calls.splice(0)
  isWatched = true
  const isOver = (key: string): boolean => {
    const record = harness.record(key)
    return record !== undefined && !('uniquerequestid' in record)
  }
  return { calls, ran, ship, keys, over: () => keys.filter(isOver) }
}

describe('a batch of a later stage', () => {
  it('is claimed without a read, and only its claims ask for items', counts, async () => {
    const { calls, ran, ship, keys, over } = await booked(10)
    await deliver(cloud, 'ship', ship)
    expect(calls).toEqual(['U'.repeat(10), 'u'.repeat(10)])
    expect(ran).toEqual(keys)
    expect(over()).toEqual(keys)
  })

  it('asks for no item with the marks of its calls', counts, async () => {
    const { calls, ran, ship, keys } = await booked(10, { marks: true })
    await deliver(cloud, 'ship', ship)
    expect(calls.join('')).toBe('U'.repeat(10) + 'u'.repeat(20))
    expect(ran).toEqual(keys)
  })

  it(
    'is read after its claims where the store returns no items, and runs as first attempts',
    counts,
    async () => {
      const silent: Answer = async (updates, store) =>
        (await store.update(updates)).map((one) =>
          one.kind === 'applied' ? { kind: 'applied', item: undefined } : one,
        )
      const { calls, ran, ship, keys, over } = await booked(10, { answer: silent })
      await deliver(cloud, 'ship', ship)
      expect(calls).toEqual(['U'.repeat(10), 'r'.repeat(10), 'u'.repeat(10)])
      expect(ran).toEqual(keys)
      expect(over()).toEqual(keys)
    },
  )

  it('knows claims as its own whose answers were lost', counts, async () => {
    const repeated: Answer = async (updates, store) => {
      await store.update(updates)
      return store.update(updates)
    }
    const { ran, ship, keys, over } = await booked(10, { answer: repeated })
    await deliver(cloud, 'ship', ship)
    expect(ran).toEqual(keys)
    expect(over()).toEqual(keys)
  })

  it('runs once what is twice in it', counts, async () => {
    const { ran, ship, keys, over } = await booked(5)
    const records = await receive(cloud, 'ship')
    const copies = records.map((one) => ({ ...one, messageId: `copy of ${one.messageId}` }))
    const { batchItemFailures } = await ship({ Records: [...records, ...copies] }, {} as never)
    expect(batchItemFailures).toEqual([])
    expect(ran.toSorted()).toEqual(keys)
    expect(over()).toEqual(keys)
  })

  it('fails the record whose claim has failed, and no other', counts, async () => {
    let isFirst = true
    const busy: Answer = async (updates, store) => {
      if (!isFirst) return store.update(updates)
      isFirst = false
      const others = await store.update(updates.filter((_, nth) => nth !== 1))
      return others.toSpliced(1, 0, { kind: 'failed', error: new Error('the item is busy') })
    }
    const { ran, ship, keys, over } = await booked(4, { answer: busy })
    expect(await hand(cloud, 'ship', await receive(cloud, 'ship'), ship)).toEqual({ kept: 1 })
    expect(over()).toEqual(keys.filter((key) => key !== 'k1'))
    await deliver(cloud, 'ship', ship)
    expect(ran.toSorted()).toEqual(keys)
    expect(over()).toEqual(keys)
  })

  it('is tried for ten of them at most, while no claim was as expected', counts, async () => {
    const { calls, ran, ship, keys } = await booked(12, { stages: ['pay', 'ship'] })
    await deliver(cloud, 'ship', ship)
    const made = calls.join('')
    expect([made.match(/U/g), made.match(/r/g)].map((each) => each?.length)).toEqual([10, 2])
    expect(ran.toSorted()).toEqual(keys.toSorted())
  })
})
