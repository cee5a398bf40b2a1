import { compensate, recordHandler, TerminalError } from 'lineclear'
import { type CrashCloud, type CrashOptions, exploreCrashes } from 'lineclear/testing'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'

const Order = z.object({ orderId: z.string() })
const stock = (by: number) =>
  ({ TableName: 'stock', Key: { id: 's' }, add: { reserved: by } }) as const

/** Reserves, charges, and fails for good: with undoDead nothing may be left of it, and a cancellation is sent once. */
const cancelled =
  (nameOf: (attempt: number) => string = () => 'release') =>
  ({ store, clients, clock, logger, outside, queueUrl }: CrashCloud) =>
    recordHandler(
      {
        name: 'orders',
        schema: Order,
        store,
        clients,
        clock,
        logger,
        undoDead: true,
        retry: { maxAttempts: 3 },
        undo: compensate(Order, {
          reserve: (_order, ctx) => ctx.write(nameOf(ctx.attempt), stock(-1)),
          charge: async ({ orderId }, ctx) => {
            await ctx.call('void', (key) => outside('void', key))
            await ctx.send(queueUrl('cancelled'), { orderId })
          },
        }),
      },
      async (_order, ctx) => {
        await ctx.write('reserve', stock(1))
        await ctx.call('charge', (key) => outside('charge', key))
        throw new TerminalError('refused')
      },
    )

/** One invocation at a time: with two side by side there are more than 60,000 schedules. */
const OPTIONS: CrashOptions = { limit: 60_000, together: 1 }

describe('a dead record that is undone by itself', () => {
  it('leaves the same behind whatever is lost, and wherever it is killed', async () => {
    const report = await exploreCrashes(cancelled(), { orderId: 'o' }, OPTIONS)
    expect(report.text).toContain('nothing lost, doubled, stale or stuck')
    expect(report).toMatchObject({ lost: 0, doubled: 0, stale: 0, stuck: 0, complete: true })
  })

  it('is found out when its undo is made twice', async () => {
    const twice = cancelled((attempt) => `release ${attempt}`)
    const report = await exploreCrashes(twice, { orderId: 'o' }, OPTIONS)
    expect(report.finding?.what).toContain('stock')
  })
})
