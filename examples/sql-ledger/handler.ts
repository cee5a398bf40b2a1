import { emfMetrics, recordHandler, TerminalError } from 'lineclear'
import { dynamoDbStore } from 'lineclear/dynamodb'
import { z } from 'zod'
import { sql } from './database.ts'

const Transfer = z.object({
  transferId: z.string(),
  from: z.string(),
  to: z.string(),
  cents: z.int().positive(),
})

/**
 * Double-entry bookkeeping: what leaves one account enters another one, in one transaction of PostgreSQL with the mark that it
 * was done. An attempt that comes after it gets the stored balance, and sends the same receipt.
 */
export const handler = recordHandler(
  {
    name: 'transfers',
    store: dynamoDbStore({ tableName: 'lineclear' }),
    schema: Transfer,
    id: ({ transferId }) => transferId,
    sql,
    metrics: emfMetrics(),
  },
  async ({ transferId, from, to, cents }, ctx) => {
    if (from === to) throw new TerminalError(`transfer ${transferId} stays in account ${from}`)
    const balance = await ctx.sql('book', async (tx) => {
      const insert = 'INSERT INTO entries (transfer, account, cents) VALUES ($1, $2, $3)'
      await tx.query(insert, [transferId, from, -cents])
      await tx.query(insert, [transferId, to, cents])
      const { rows } = await tx.query<{ balance: string }>(
        'SELECT sum(cents) AS balance FROM entries WHERE account = $1',
        [from],
      )
      return rows[0]?.balance
    })
    await ctx.send(process.env['RECEIPTS_QUEUE'] ?? '', { transferId, balance })
  },
)
