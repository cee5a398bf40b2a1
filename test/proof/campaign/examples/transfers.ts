import { SendMessageCommand } from '@aws-sdk/client-sqs'
import type { Course, Place } from './course.ts'

const ACCOUNTS = 5

/** Transfers in PostgreSQL: each has an entry on both sides, and one receipt. */
export async function transfers({ cloud, mark, count, example }: Place): Promise<Course> {
  const { createTables, pool } = await import('../../../../examples/sql-ledger/database.ts')
  const { handler } = await example(
    'sql-ledger/handler.ts',
    import('../../../../examples/sql-ledger/handler.ts'),
  )
  // One process stands for all sandboxes: those that are frozen keep the connections of an attempt until its session ends.
  pool.options.max = 60
  await createTables()
  return {
    handlers: { transfers: handler },
    async send() {
      for (let number = 1; number <= count; number += 1) {
        const transfer = {
          transferId: `${mark}-${number}`,
          from: `account-${number % ACCOUNTS}`,
          to: `account-${(number + 1) % ACCOUNTS}`,
          cents: number,
        }
        await cloud.sqs.send(
          new SendMessageCommand({
            QueueUrl: cloud.queueUrl('transfers'),
            MessageBody: JSON.stringify(transfer),
          }),
        )
      }
    },
    async books() {
      const { rows } = await pool.query<{ entries: number; sum: string }>(
        'SELECT count(*)::int AS entries, sum(cents) AS sum FROM entries WHERE transfer LIKE $1 GROUP BY transfer',
        [`${mark}-%`],
      )
      const receipts = cloud
        .inspectQueue('receipts')
        .ready.filter(({ body }) => body.includes(`"${mark}-`))
      return {
        wanted: { transfers: count, bookedEntries: 2 * count, transferReceipts: count },
        had: {
          transfers: rows.filter(({ sum }) => Number(sum) === 0).length,
          bookedEntries: rows.reduce((total, { entries }) => total + entries, 0),
          transferReceipts: new Set(receipts.map(({ body }) => body)).size,
        },
      }
    },
  }
}
