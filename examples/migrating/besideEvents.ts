import { recordHandler, type RecordHandlerOptions } from 'lineclear'
import { postgresEffects } from 'lineclear/postgres'
import type { Pool } from 'pg'
import { z } from 'zod'

const Order = z.object({ orderId: z.string(), cents: z.int() })

/** What differs between Lambda and a test. */
type Given = Pick<RecordHandlerOptions, 'store' | 'clients' | 'logger' | 'queueUrl'>

/**
 * Takes over a queue from a consumer that writes an order, and its row in `processed_events`, in one transaction of PostgreSQL. Both
 * may read the queue: the order is of the one whose row is committed.
 */
export function ordersBesideEvents(given: Given, pool: Pool) {
  return recordHandler(
    {
      ...given,
      name: 'orders',
      schema: Order,
      id: ({ orderId }) => orderId,
      sql: postgresEffects(pool),
      alreadyDone: async ({ orderId }) => {
        const find = 'SELECT FROM processed_events WHERE id = $1'
        const { rowCount } = await pool.query(find, [orderId])
        return rowCount === 0 ? 'new' : 'done'
      },
    },
    async ({ orderId, cents }, ctx) => {
      await ctx.sql('order', async (tx) => {
        const take = 'INSERT INTO processed_events (id) VALUES ($1) ON CONFLICT DO NOTHING'
        const { rowCount } = await tx.query(take, [orderId])
        // The old one was faster, after it was asked about.
        if (rowCount === 0) return
        await tx.query('INSERT INTO orders (id, cents) VALUES ($1, $2)', [orderId, cents])
      })
    },
  )
}
