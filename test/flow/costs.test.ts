import type { Store } from 'lineclear'
import type { LocalCloud } from 'lineclear/local'
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest'
import { calmOnly, notIn } from '../proof/hostile/mode.ts'
import { deliver, flowHarness, emptyAll, startFlowCloud } from './flowHarness.ts'
import { tripOn } from './trip.ts'

let cloud: LocalCloud
beforeAll(async () => {
  cloud = await startFlowCloud()
})
afterEach(() => emptyAll(cloud))
afterAll(() => cloud.stop())

/** The requests to the store, one character for each call and entry: (c)reate, (u)pdate, (r)ead. */
function counted(store: Store): { readonly store: Store; readonly calls: string[] } {
  const calls: string[] = []
  return {
    calls,
    store: {
      ...store,
      create: (items) => {
        calls.push('c'.repeat(items.length))
        return store.create(items)
      },
      update: (updates) => {
        calls.push('u'.repeat(updates.length))
        return store.update(updates)
      },
      read: (keys, options) => {
        calls.push('r'.repeat(keys.length))
        return store.read(keys, options)
      },
    },
  }
}

it(
  'a claim, a settlement and a reset cost one write each, and a read before a run starts',
  calmOnly('counts the calls of the store'),
  async () => {
    const harness = flowHarness(cloud)
    const { store, calls } = counted(harness.store)
    const trip = tripOn(cloud, {
      ...harness,
      options: { ...harness.options, store: store as never },
    })
    const book = trip.stageHandler('book', (_booking, ctx) => ctx.next('ship', { key: ctx.key }))
    const ship = trip.stageHandler('ship', () => {})
    await trip.start({ key: 'k' })
    await deliver(cloud, 'book', book)
    expect(calls.splice(0)).toEqual(['r', 'c', 'u'])
    await deliver(cloud, 'ship', ship)
    expect(calls.splice(0)).toEqual(['u', 'u'])
    harness.clock.advance(1)
    await trip.start({ key: 'k' })
    await deliver(cloud, 'book', book)
    expect(calls.splice(0)).toEqual(['r', 'u', 'u'])
  },
)

/** Requests of three keys that were never used before, and of ten before them. */
async function warmTrip() {
  const harness = flowHarness(cloud)
  const { store, calls } = counted(harness.store)
  const trip = tripOn(cloud, { ...harness, options: { ...harness.options, store: store as never } })
  const book = trip.stageHandler('book', (_booking, ctx) => ctx.next('ship', { key: ctx.key }))
  const ship = trip.stageHandler('ship', () => {})
  const run = async (key: string): Promise<readonly [readonly string[], readonly string[]]> => {
    harness.clock.advance(1)
    await trip.start({ key })
    await deliver(cloud, 'book', book)
    const booked = calls.splice(0)
    await deliver(cloud, 'ship', ship)
    return [booked, calls.splice(0)]
  }
  for (let nth = 0; nth < 10; nth++) await run(`before ${nth}`)
  return { ...harness, run, trip, book, ship, calls }
}

const QUICK = [
  ['c', 'u'],
  ['u', 'u'],
]

it(
  'after ten new keys, a new key is claimed without a read',
  calmOnly('counts the calls of the store'),
  async () => {
    const { run } = await warmTrip()
    expect(await run('k')).toEqual(QUICK)
  },
)

it(
  'a key that was used before refuses the claim, which is the look; then the next ten are read',
  calmOnly('counts the calls of the store'),
  async () => {
    const { run, record } = await warmTrip()
    expect(await run('before 3')).toEqual([
      ['c', 'u', 'u'],
      ['u', 'u'],
    ])
    expect(record('before 3')).toMatchObject({ epoch: 4, last: expect.stringMatching(/c$/) })
    for (let nth = 0; nth < 10; nth++) {
      expect(await run(`k${nth}`)).toEqual([
        ['r', 'c', 'u'],
        ['u', 'u'],
      ])
    }
    expect(await run('k')).toEqual(QUICK)
  },
)

it(
  'keys that are used again and again are never tried',
  calmOnly('counts the calls of the store'),
  async () => {
    const { run } = await warmTrip()
    for (let nth = 0; nth < 2; nth++) await run('before 3')
    for (let nth = 0; nth < 20; nth++) {
      expect(await run(`before ${nth % 5}`)).toEqual([
        ['r', 'u', 'u'],
        ['u', 'u'],
      ])
    }
  },
)

it(
  'a stage whose sender has not settled is refused without a read, and runs after it, once',
  notIn(['killed'], 'it has races of its own'),
  async () => {
    const harness = flowHarness(cloud)
    let between: (() => Promise<void>) | undefined
    const store: Store = {
      ...harness.store,
      update: async (updates) => {
        const settles = updates.some(({ set }) => set?.['stage:book'] === 'settled on ship')
        const meanwhile = settles ? between : undefined
        if (settles) between = undefined
        await meanwhile?.()
        return harness.store.update(updates)
      },
    }
    const trip = tripOn(cloud, {
      ...harness,
      options: { ...harness.options, store: store as never },
    })
    const ran: string[] = []
    const book = trip.stageHandler('book', (_booking, ctx) => ctx.next('ship', { key: ctx.key }))
    const ship = trip.stageHandler('ship', (_shipping, ctx) => void ran.push(ctx.key))
    const run = async (key: string): Promise<void> => {
      harness.clock.advance(1)
      await trip.start({ key })
      await deliver(cloud, 'book', book)
      await deliver(cloud, 'ship', ship)
    }
    for (let nth = 0; nth < 10; nth++) await run(`before ${nth}`)
    const seen: unknown[] = []
    between = async () => {
      await deliver(cloud, 'ship', ship)
      seen.push(ran.includes('k'), harness.record('k')?.['stage:ship'])
    }
    await run('k')
    expect(seen).toEqual([false, undefined])
    expect(ran.filter((key) => key === 'k')).toEqual(['k'])
    expect(harness.record('k')).not.toHaveProperty('uniquerequestid')
  },
)

it('a batch shares its calls', calmOnly('counts the calls of the store'), async () => {
  const harness = flowHarness(cloud)
  const { store, calls } = counted(harness.store)
  const trip = tripOn(cloud, { ...harness, options: { ...harness.options, store: store as never } })
  const book = trip.stageHandler('book', () => {})
  for (let number = 0; number < 10; number++) await trip.start({ key: `k${number}` })
  await deliver(cloud, 'book', book)
  expect(calls.slice(0, 2)).toEqual(['r'.repeat(10), 'c'.repeat(10)])
  expect(calls.length).toBeLessThanOrEqual(4)
})

it('the record of a run stays within one write unit, with effects by name and four stages', async () => {
  const harness = flowHarness(cloud)
  const trip = tripOn(cloud, harness)
  const uuid = '0b4a6c6e-1c9f-4f51-9a2e-3d9a51b7f1a0'
  const key = 'customer/0b4a6c6e-1c9f-4f51-9a2e-3d9a51b7f1a1'
  let most = 0
  const look = (): void => {
    most = Math.max(most, sizeOf(harness.record(key) ?? {}))
  }
  const effect = (n: number) => ({ TableName: 't', Key: { id: `${n}` }, add: { n: 1 } })
  const book = trip.stageHandler('book', async (_booking, ctx) => {
    await ctx.write('reserve seat', effect(1))
    await ctx.write('book ledger', effect(2))
    await ctx.next('pay', { key: ctx.key, price: 1 })
    await ctx.next('ship', { key: ctx.key })
  })
  const pay = trip.stageHandler('pay', async (_payment, ctx) => {
    await ctx.write('charge card', effect(3))
    await ctx.awaitStep('quote', 'q', () => {})
    look()
  })
  const ship = trip.stageHandler('ship', async (_shipping, ctx) => {
    await ctx.write('print label', effect(4))
    look()
  })
  await trip.start({ key }, { uniqueRequestId: uuid })
  await deliver(cloud, 'book', book)
  await deliver(cloud, 'pay', pay)
  await deliver(cloud, 'ship', ship)
  expect(most).toBeGreaterThan(300)
  expect(most).toBeLessThan(1_024)
})

/** By DynamoDB's rules: names and texts by their UTF-8 bytes, numbers by about half their digits. */
function sizeOf(item: Readonly<Record<string, unknown>>): number {
  return Object.entries(item).reduce((sum, [name, value]) => sum + name.length + bytesOf(value), 0)
}

function bytesOf(value: unknown): number {
  if (typeof value === 'string') return Buffer.byteLength(value)
  if (value instanceof Set) return [...value].reduce<number>((sum, each) => sum + bytesOf(each), 3)
  return typeof value === 'number' ? Math.ceil(String(value).length / 2) + 1 : 1
}
