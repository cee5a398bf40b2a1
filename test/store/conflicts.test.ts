import { recordHandler } from 'lineclear'
import { memoryStore, sqsEvent } from 'lineclear/testing'
import { describe, expect, it } from 'vitest'
import { systemClock } from '../../src/library/base/clock.ts'
import type { UserWrite } from '../../src/library/protocol/store/store.ts'
import { lambdaContext } from '../deliver/lambdaContext.ts'
import { quietLogger } from '../deliver/quietLogger.ts'

/** Milliseconds. */
const TIME = 10
const KEY = { pk: 'p', sk: 's', format: 1 }
const OTHER = { pk: 'other', sk: 's', format: 1 }
const CLAIM = { key: KEY, where: [], set: { n: 1 } }

function addOne(id: string): UserWrite {
  return { TableName: 'stock', Key: { id }, where: [], add: { total: 1 } }
}

describe('a transaction that takes time', () => {
  it('refuses writes to its items, the claim included, and these are retried', async () => {
    const store = memoryStore({ transactionTime: TIME })
    await store.create([KEY, OTHER])
    const [first, second, third, updated, created] = await Promise.all([
      store.transact(CLAIM, [addOne('a')]),
      store.transact(CLAIM, [addOne('b')]),
      store.transact({ key: OTHER, where: [] }, [addOne('a')]),
      store.update([CLAIM]),
      store.create([KEY]),
    ])
    for (const one of [first, second, third]) expect(one).toEqual({ kind: 'applied' })
    expect(updated).toMatchObject([{ kind: 'applied' }])
    expect(created).toMatchObject([{ kind: 'refused' }])
    const totals = store.userItems('stock').map(({ id, total }) => [id, total])
    expect(Object.fromEntries(totals)).toEqual({ a: 2, b: 1 })
  })

  it('turns no read away, and shows nothing of itself before its end', async () => {
    const store = memoryStore({ transactionTime: TIME })
    await store.create([KEY])
    const writing = store.transact(CLAIM, [addOne('a')])
    expect(await store.read([KEY])).toEqual([{ kind: 'found', item: KEY }])
    expect(await store.readUser(addOne('a'))).toBeUndefined()
    expect(await writing).toEqual({ kind: 'applied' })
    expect(await store.read([KEY])).toEqual([{ kind: 'found', item: { ...KEY, n: 1 } }])
  })

  it('is no refusal: after twelve tries the error says that the item was busy', async () => {
    const sleep = (milliseconds: number): Promise<void> =>
      milliseconds === TIME ? new Promise(() => {}) : Promise.resolve()
    const clock = { now: () => 0, sleep }
    const store = memoryStore({ transactionTime: TIME, clock, random: () => 1 })
    await store.create([KEY, OTHER])
    void store.transact(CLAIM, [addOne('a')])
    const busy = { code: 'STORE_UNAVAILABLE', reason: 'busy' }
    expect(await store.update([CLAIM])).toMatchObject([{ kind: 'failed', error: busy }])
    const claim = { key: OTHER, where: [] }
    expect(await store.transact(claim, [addOne('a')])).toMatchObject({
      kind: 'failed',
      error: { ...busy, userTable: 'stock' },
    })
  })

  it('does not hide that a claim is lost', async () => {
    const store = memoryStore({ transactionTime: TIME })
    await store.create([KEY, OTHER])
    const writing = store.transact(CLAIM, [addOne('a')])
    const lost = { key: OTHER, where: [{ exists: 'nothing' }] }
    expect(await store.transact(lost, [addOne('a')])).toEqual({
      kind: 'refused',
      by: 'claim',
      item: OTHER,
    })
    await writing
  })
})

it.each([20, 50])('%i writes of one handler side by side all take place', async (count) => {
  const store = memoryStore({ transactionTime: TIME })
  const skus = Array.from({ length: count }, (_, nth) => `sku-${nth}`)
  const handler = recordHandler({ name: 'orders', store, logger: quietLogger() }, (_, ctx) =>
    Promise.all(
      skus.map((id) => ctx.write(id, { TableName: 'stock', Key: { id }, put: { at: 1 } })),
    ),
  )
  const begun = systemClock.now()
  expect(await handler(sqsEvent({ order: 1 }), lambdaContext())).toEqual({ batchItemFailures: [] })
  expect(systemClock.now() - begun).toBeGreaterThanOrEqual(count * (TIME - 1))
  expect(store.userItems('stock').map(({ id }) => id)).toEqual(skus)
})
