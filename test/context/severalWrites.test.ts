import { absent, atLeast, exists, newerThan } from 'lineclear'
import { describe, expect, it } from 'vitest'
import type { RecordContext } from '../../src/library/run/context/context.ts'
import { attemptOf, NOW, store as openStore } from './attemptOf.ts'

const stock = { TableName: 'stock', Key: { sku: 's' } }
const order = { TableName: 'orders', Key: { id: 'o' } }
const customer = { TableName: 'customers', Key: { id: 'c' } }

const sell = (ctx: RecordContext, quantity: number) =>
  ctx.write('sell', [
    { ...stock, add: { available: -quantity }, guard: atLeast('available', quantity) },
    { ...order, put: { sku: 's', quantity }, guard: absent() },
    { ...customer, check: exists() },
  ])

async function stocked(available: number) {
  const store = openStore()
  const { ctx } = await attemptOf(store, 'first')
  await ctx.write('stock', { ...stock, put: { available } })
  await ctx.write('customer', { ...customer, put: {} })
  return { store, ctx }
}

describe('several writes are one effect', () => {
  it('made once, however often the handler runs', async () => {
    const { store, ctx } = await stocked(5)
    expect(await sell(ctx, 2)).toEqual({ applied: true })
    const second = await attemptOf(store, 'second')
    expect(await sell(second.ctx, 2)).toEqual({ applied: true })
    expect(store.userItems('stock')).toEqual([{ sku: 's', available: 3 }])
    expect(store.userItems('orders')).toEqual([{ id: 'o', sku: 's', quantity: 2 }])
  })

  it('when one condition fails no write is made, and the result names the write that was refused', async () => {
    const { store, ctx } = await stocked(1)
    expect(await sell(ctx, 2)).toEqual({
      applied: false,
      reason: 'unmet',
      index: 0,
      table: 'stock',
      guard: atLeast('available', 2),
      item: { sku: 's', available: 1 },
    })
    expect(store.userItems('stock')).toEqual([{ sku: 's', available: 1 }])
    expect(store.userItems('orders')).toEqual([])
  })

  it('a write that was not applied may be retried under its name', async () => {
    const { ctx } = await stocked(1)
    expect(await sell(ctx, 2)).toMatchObject({ applied: false })
    await ctx.write('more', { ...stock, set: { available: 9 } })
    expect(await sell(ctx, 2)).toEqual({ applied: true })
  })

  it('a check refuses for all', async () => {
    const { store, ctx } = await stocked(5)
    await ctx.write('drop', { ...customer, delete: true })
    const refused = {
      applied: false,
      reason: 'unmet',
      index: 2,
      table: 'customers',
      item: undefined,
    }
    expect(await sell(ctx, 2)).toMatchObject(refused)
    expect(store.userItems('orders')).toEqual([])
  })

  it('a status update creates no ghost row', async () => {
    const { store, ctx } = await stocked(5)
    const paid = await ctx.write('paid', { ...order, set: { status: 'paid' }, guard: exists() })
    expect(paid).toMatchObject({ applied: false, reason: 'unmet', table: 'orders' })
    expect(store.userItems('orders')).toEqual([])
  })

  it('newerThan keeps its version on the one item that it guards', async () => {
    const { store, ctx } = await stocked(5)
    const guard = newerThan('at', NOW)
    await ctx.write('both', [
      { ...stock, set: { by: 'me' } },
      { ...order, put: {}, guard },
    ])
    expect(store.userItems('orders')[0]).toMatchObject({ at: NOW, at_uniquerequestid: 'order-1' })
    expect(store.userItems('stock')[0]).toEqual({ sku: 's', available: 5, by: 'me' })
  })
})

it('a raw item says on the memory store that it needs DynamoDB, and nothing is written', async () => {
  const { store, ctx } = await stocked(5)
  const raw = { Delete: { TableName: 'stock', Key: { sku: { S: 's' } } } }
  const both = ctx.write('raw', [{ raw }, { ...order, put: {} }])
  await expect(both).rejects.toMatchObject({
    code: 'CONFIG',
    message: expect.stringContaining('the memory store cannot read the expressions of DynamoDB'),
  })
  expect(store.userItems('orders')).toEqual([])
})
