import type { LocalCloud } from 'lineclear/local'
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest'
import { notIn } from '../proof/hostile/mode.ts'
import {
  type FlowHarness,
  flowHarness,
  emptyAll,
  hand,
  receive,
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
  'it has a death of its own',
)
const never = new Promise<never>(() => {})

/** One invocation, in a sandbox that the poison kills: from then on none of its code runs. */
function sandboxOf(harness: FlowHarness, ran: string[], maxAttempts: number) {
  const state = { isDown: false }
  const { promise: down, resolve: goDown } = Promise.withResolvers<'down'>()
  const call =
    <Args extends readonly unknown[], A>(made: (...args: Args) => Promise<A>) =>
    (...args: Args): Promise<A> =>
      state.isDown ? never : made(...args)
  const { store } = harness
  const mortal = {
    ...store,
    create: call(store.create.bind(store)),
    update: call(store.update.bind(store)),
    read: call(store.read.bind(store)),
    transact: call(store.transact.bind(store)),
  }
  const options = { ...harness.options, store: mortal }
  const trip = tripOn(cloud, { ...harness, options }, { retry: { maxAttempts } })
  const book = trip.stageHandler('book', (_booking, ctx) => {
    if (state.isDown) return never
    ran.push(ctx.key)
    if (ctx.key !== 'poison') return undefined
    state.isDown = true
    goDown('down')
    return never
  })
  return { book, down }
}

it(
  'a message that kills its sandbox uses up no attempt of the other requests of its batch',
  calm,
  async () => {
    const harness = flowHarness(cloud)
    const trip = tripOn(cloud, harness)
    const keys = ['poison', 'a', 'b', 'c']
    const ran: string[] = []
    for (const key of keys) await trip.start({ key })
    let records = await receive(cloud, 'book')
    for (let nth = 0; nth < 6 && records.length > 0; nth++) {
      for (const record of records) await sendCopy(cloud, 'book', record)
      records = await receive(cloud, 'book')
      const { book, down } = sandboxOf(harness, ran, 2)
      const left = await Promise.race([hand(cloud, 'book', records, book), down])
      await new Promise(setImmediate)
      harness.clock.advance(60_000)
      if (left !== 'down') break
    }
    expect(ran.filter((key) => key === 'poison')).toHaveLength(2)
    expect(ran.filter((key) => key !== 'poison').toSorted()).toEqual(['a', 'b', 'c'])
    const dead = await receive(cloud, 'dead')
    expect(dead.map(({ body }) => body)).toEqual(['{"key":"poison"}'])
  },
)

it('of a batch only the newest waiting request may start (coalesce)', calm, async () => {
  const harness = flowHarness(cloud)
  const trip = tripOn(cloud, harness, { onConflict: 'coalesce' })
  const ran: unknown[] = []
  const book = trip.stageHandler('book', ({ n }) => ran.push(n))
  for (const n of [1, 2, 3])
    await trip.start({ key: 'k', n }, { sentAt: harness.clock.now() - 10 + n })
  await hand(cloud, 'book', await receive(cloud, 'book'), book)
  expect(ran).toEqual([3])
  expect(harness.settled.map(({ kind }) => kind).toSorted()).toEqual([
    'completed',
    'stale',
    'stale',
  ])
})
