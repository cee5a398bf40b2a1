import { Pool } from 'pg'
import { orderIdOf } from '../events.ts'
import type { Peer } from './peer.ts'

/** What people write by hand when all effects are in one database: a mark with a unique key in the transaction; all side by side. */
export const sqlByHand: Peer = ({ work }) => {
  const pool = new Pool({ connectionString: process.env['DATABASE_URL'] })
  const run = async (id: string, payload: unknown): Promise<void> => {
    const tx = await pool.connect()
    try {
      await tx.query('BEGIN')
      const mark = 'INSERT INTO marks (id) VALUES ($1) ON CONFLICT DO NOTHING'
      const { rowCount } = await tx.query(mark, [id])
      if (rowCount === 1) {
        await work(payload)
        await tx.query('INSERT INTO bookings (id) VALUES ($1)', [orderIdOf(payload)])
      }
      await tx.query('COMMIT')
    } finally {
      tx.release()
    }
  }
  return async ({ Records }) => {
    await Promise.all(Records.map(({ messageId, body }) => run(messageId, JSON.parse(body))))
    return { batchItemFailures: [] }
  }
}
