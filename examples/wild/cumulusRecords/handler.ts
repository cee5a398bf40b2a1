import { recordHandler, type RecordHandlerOptions, type SqlEffects } from 'lineclear'
import type { PostgresTransaction } from 'lineclear/postgres'
import { z } from 'zod'

/**
 * After `sf-event-sqs-to-db-records` of https://github.com/nasa/cumulus (Apache-2.0): the end of a workflow goes to PostgreSQL, its
 * execution and its granules, and topics report it. There each table has a transaction of its own: a crash leaves some of them.
 */
const Ended = z.object({
  execution: z.string(),
  status: z.enum(['completed', 'failed']),
  granules: z.array(z.string()),
})

type Given = Pick<RecordHandlerOptions, 'store' | 'clients' | 'clock' | 'logger'>

export function records(given: Given, sql: SqlEffects<PostgresTransaction>, topicArn: string) {
  return recordHandler(
    {
      ...given,
      sql,
      name: 'records',
      schema: Ended,
      id: ({ execution, status }) => `${execution}/${status}`,
    },
    async ({ execution, status, granules }, ctx) => {
      await ctx.sql('records', async (tx) => {
        await tx.query('INSERT INTO executions (arn, status) VALUES ($1, $2)', [execution, status])
        for (const granule of granules) {
          await tx.query('INSERT INTO granules (id, arn) VALUES ($1, $2)', [granule, execution])
        }
      })
      await ctx.publish(topicArn, { execution, status })
    },
  )
}
