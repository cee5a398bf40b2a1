import { compensate, defineFlow, type MadeEffect } from 'lineclear'
import type { LocalCloud } from 'lineclear/local'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { z } from 'zod'
import { deliver, emptyAll, flowHarness, startFlowCloud } from '../flow/flowHarness.ts'

let cloud: LocalCloud
beforeAll(async () => {
  cloud = await startFlowCloud()
})
afterEach(() => emptyAll(cloud))
afterAll(() => cloud.stop())

const Order = z.object({ key: z.string(), sku: z.string() })
const stock = (sku: string, by: number) =>
  ({ TableName: 'counts', Key: { id: sku }, add: { n: by } }) as const

function orders() {
  const harness = flowHarness(cloud)
  const undone: MadeEffect[] = []
  const flow = defineFlow({
    ...harness.options,
    name: 'trip',
    key: ({ key }) => key,
    onConflict: 'supersede',
    stages: {
      book: {
        schema: Order,
        queueUrl: cloud.queueUrl('book'),
        undo: compensate(Order, {
          reserve: async ({ sku }, ctx, made) => {
            undone.push(made)
            await ctx.applyOnce('release', stock(sku, -1))
          },
        }),
      },
      ship: { schema: Order, queueUrl: cloud.queueUrl('ship'), final: true },
    },
  })
  const book = flow.handle('book', async (order, ctx) => {
    await ctx.applyOnce('reserve', stock(order.sku, 1))
    await ctx.send('ship', order)
  })
  const ship = flow.handle('ship', (_order, ctx) => ctx.applyOnce('shipped', stock('shipped', 1)))
  return { harness, flow, book, ship, undone }
}

describe('a request that is superseded after it has made effects', () => {
  it('is undone: what it reserved is released', async () => {
    const { harness, flow, book, ship, undone } = orders()
    const at = harness.clock.now() - 10_000
    await flow.start({ key: 'k', sku: 'pear' }, { uniqueRequestId: 'r1', sentAt: at })
    await deliver(cloud, 'book', book)
    expect(harness.count('pear')).toBe(1)
    await flow.start({ key: 'k', sku: 'fig' }, { uniqueRequestId: 'r2', sentAt: at + 1 })
    await deliver(cloud, 'book', book)
    await deliver(cloud, 'book', book)
    await deliver(cloud, 'ship', ship)
    expect(harness.lines.filter(({ level }) => level === 'error')).toEqual([])
    expect(undone.map(({ name, state }) => [name, state])).toEqual([['reserve', 'yes']])
    expect(harness.count('pear')).toBe(0)
    expect(harness.count('fig')).toBe(1)
    expect(harness.count('shipped')).toBe(1)
    expect(harness.record()).not.toHaveProperty('ending')
  })
})
