import { recordHandler, TerminalError } from 'lineclear'
import { memoryCloud } from 'lineclear/testing'
import { expect, it } from 'vitest'
import { book } from './attempts.ts'
import { openDatabase } from './database.ts'

it('an effect in SQL after a death is another one than that of the request, and is made once', async () => {
  const { effects, bookings } = await openDatabase()
  const consumed = { deadLetter: { queue: 'dead', maxReceiveCount: 1_000 } }
  const cloud = memoryCloud({ queues: { orders: consumed, dead: {} } })
  const { store, clients, clock, logger } = cloud
  const attempts: number[] = []
  const orders = recordHandler(
    {
      name: 'orders',
      store,
      clients,
      clock,
      logger,
      sql: effects,
      onFailure: async (_order, ctx) => {
        attempts.push(ctx.attempt)
        await ctx.sql('book', (tx) => book(tx, 'taken back'))
        if (ctx.attempt < 3) throw new Error('not yet')
      },
    },
    async (_order, ctx) => {
      await ctx.sql('book', (tx) => book(tx, 'booked'))
      throw new TerminalError('no such account')
    },
  )
  cloud.send('orders', { orderId: '1' })
  await cloud.drain({ orders })
  expect(attempts).toEqual([1, 2, 3])
  expect(await bookings()).toEqual(['booked', 'taken back'])
})
