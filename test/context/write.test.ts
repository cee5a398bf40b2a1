import { recordHandler } from 'lineclear'
import { memoryCloud } from 'lineclear/testing'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { StoreUnavailableError } from '../../src/library/base/errors.ts'
import { newerThan, unchanged } from '../../src/library/run/context/guard/guard.ts'
import type { Store } from '../../src/library/protocol/store/store.ts'
import { attemptOf, NOW, store as openStore } from './attemptOf.ts'

const target = { TableName: 'stock', Key: { sku: 's' } }
const Price = z.object({ price: z.string() })
const add = { ...target, add: { reserved: 2 } }

describe('write', () => {
  it('adds once, however often the handler runs', async () => {
    const store = openStore()
    for (const name of ['first', 'second', 'third']) {
      const { ctx } = await attemptOf(store, name)
      expect(await ctx.write('reserve', add)).toEqual({ applied: true })
    }
    expect(store.userItems('stock')).toEqual([{ sku: 's', reserved: 2 }])
  })

  it('adds once when the SDK sends it twice', async () => {
    const store = openStore()
    const twice: Store = {
      ...store,
      transact: async (claim, write) => {
        await store.transact(claim, write)
        return store.transact(claim, write)
      },
    }
    const { ctx } = await attemptOf(store, 'first', twice)
    expect(await ctx.write('reserve', add)).toEqual({ applied: true })
    expect(store.userItems('stock')).toEqual([{ sku: 's', reserved: 2 }])
  })

  it('adds once when no answer came and the next attempt asks again', async () => {
    const store = openStore()
    const mute: Store = {
      ...store,
      transact: async (claim, write) => {
        await store.transact(claim, write)
        return { kind: 'failed', error: new StoreUnavailableError('no answer') }
      },
    }
    const first = await attemptOf(store, 'first', mute)
    await expect(first.ctx.write('reserve', add)).rejects.toThrow('no answer')
    const second = await attemptOf(store, 'second')
    expect(await second.ctx.write('reserve', add)).toEqual({ applied: true })
    expect(store.userItems('stock')).toEqual([{ sku: 's', reserved: 2 }])
  })

  it('a second effect of the same name is refused, not swallowed', async () => {
    const { ctx } = await attemptOf(openStore(), 'first')
    await ctx.write('reserve', add)
    await expect(ctx.write('reserve', add)).rejects.toMatchObject({ code: 'CONFIG' })
    await expect(ctx.write('', add)).rejects.toMatchObject({ code: 'CONFIG' })
  })

  it('two of one name side by side: one happens', async () => {
    const store = openStore()
    const { ctx } = await attemptOf(store, 'first')
    const both = await Promise.allSettled([ctx.write('a', add), ctx.write('a', add)])
    expect(both.map(({ status }) => status)).toEqual(['fulfilled', 'rejected'])
    expect(store.userItems('stock')).toEqual([{ sku: 's', reserved: 2 }])
  })

  it('many names side by side all happen, and are all remembered', async () => {
    const store = openStore()
    const names = Array.from({ length: 10 }, (_, nth) => `n${nth}`)
    const first = await attemptOf(store, 'first')
    await Promise.all(names.map((name) => first.ctx.write(name, add)))
    const second = await attemptOf(store, 'second')
    await Promise.all(names.map((name) => second.ctx.write(name, add)))
    expect(store.userItems('stock')).toEqual([{ sku: 's', reserved: 20 }])
  })

  it('a write that a guard refuses leaves no mark, and may be retried', async () => {
    const store = openStore()
    const { ctx } = await attemptOf(store, 'first')
    const guarded = { ...add, guard: unchanged('version', 1) }
    expect(await ctx.write('reserve', guarded)).toMatchObject({
      applied: false,
      reason: 'changed',
    })
    expect(await ctx.write('reserve', add)).toEqual({ applied: true })
  })

  it('an attempt that lost its claim writes nothing', async () => {
    const store = openStore()
    const first = await attemptOf(store, 'first')
    await attemptOf(store, 'second')
    await expect(first.ctx.write('reserve', add)).rejects.toMatchObject({ code: 'SUPERSEDED' })
    expect(store.userItems('stock')).toEqual([])
  })

  it('an attempt that lost its claim fails as superseded, also when the new attempt made the same effect', async () => {
    const store = openStore()
    const first = await attemptOf(store, 'first')
    const second = await attemptOf(store, 'second')
    await second.ctx.write('reserve', add)
    await expect(first.ctx.write('reserve', add)).rejects.toMatchObject({ code: 'SUPERSEDED' })
    expect(store.userItems('stock')).toEqual([{ sku: 's', reserved: 2 }])
  })
})

describe('what a write does', () => {
  const writes = {
    put: { ...target, put: { by: 'first' } },
    set: { ...target, set: { by: 'first' } },
    delete: { ...target, delete: true },
  } as const

  it('puts, changes and deletes an item', async () => {
    const store = openStore()
    const { ctx } = await attemptOf(store, 'first')
    expect(await ctx.write('put', writes.put)).toEqual({ applied: true })
    expect(await ctx.get(target)).toEqual({ sku: 's', by: 'first' })
    const change = { ...target, set: { n: 1 }, remove: ['by'] }
    expect(await ctx.write('change', change)).toEqual({ applied: true })
    expect(await ctx.get(target)).toEqual({ sku: 's', n: 1 })
    expect(await ctx.write('delete', writes.delete)).toEqual({ applied: true })
    expect(await ctx.get(target)).toBeUndefined()
  })

  it.each(['put', 'set', 'delete'] as const)('%s: not once the claim is lost', async (kind) => {
    const store = openStore()
    const first = await attemptOf(store, 'first')
    const second = await attemptOf(store, 'second')
    await second.ctx.write('newer', { ...target, put: { by: 'second' } })
    const late = first.ctx.write('late', writes[kind])
    await expect(late).rejects.toMatchObject({ code: 'SUPERSEDED' })
    expect(store.userItems('stock')).toEqual([{ sku: 's', by: 'second' }])
  })

  it('a stale write is returned, not thrown', async () => {
    const store = openStore()
    const { ctx } = await attemptOf(store, 'first')
    await ctx.write('newer', { ...target, put: {}, guard: newerThan('at', NOW) })
    const older = { ...target, put: {}, guard: newerThan('at', NOW - 1) }
    expect(await ctx.write('older', older)).toMatchObject({ applied: false, reason: 'stale' })
  })

  it.each(['put', 'update', 'delete'])(
    'ctx.%s, which every attempt would repeat, is not there',
    async (name) => {
      const { ctx } = await attemptOf(openStore(), 'first')
      expect(ctx).not.toHaveProperty(name)
    },
  )
})

it('a handler that is retried does not overwrite what a newer message has written', async () => {
  const cloud = memoryCloud({ queues: { prices: {} } })
  const { store, clients, clock, logger } = cloud
  const attempts: string[] = []
  const prices = recordHandler(
    { name: 'prices', store, clients, clock, logger },
    async (payload, ctx) => {
      const { price } = Price.parse(payload)
      attempts.push(price)
      await ctx.write('price', { TableName: 'prices', Key: { sku: 'a' }, put: { price } })
      if (attempts.length > 1) return
      cloud.send('prices', { price: 'NEW' })
      throw new Error('provider answered 500')
    },
  )
  cloud.send('prices', { price: 'OLD' })
  await cloud.drain({ prices })
  expect(attempts).toEqual(['OLD', 'NEW', 'OLD'])
  expect(store.userItems('prices')).toEqual([{ sku: 'a', price: 'NEW' }])
})
