import { SendMessageCommand } from '@aws-sdk/client-sqs'
import type { SQSEvent } from 'aws-lambda'
import { dynamoDbStore, tableDefinition } from 'lineclear/dynamodb'
import { mapQueue, startLocalCloud } from 'lineclear/local'
import { postgresEffects } from 'lineclear/postgres'
import type { Pool } from 'pg'
import { expect, it } from 'vitest'
import { ordersBesideEvents } from '../../../examples/migrating/besideEvents.ts'
import { untilQuiet } from '../../../examples/quiet.ts'
import { quietLogger } from '../../deliver/quietLogger.ts'
import { emptySchema, poolOf } from '../../features/sql/database.ts'

/** One transaction for each order: its row, and what it does. */
function oldConsumer(pool: Pool) {
  return async ({ Records }: SQSEvent): Promise<{ batchItemFailures: [] }> => {
    for (const { body } of Records) {
      const { orderId, cents } = JSON.parse(body) as { orderId: string; cents: number }
      await pool.query(
        `WITH taken AS (
          INSERT INTO processed_events (id) VALUES ($1) ON CONFLICT DO NOTHING RETURNING id
        ) INSERT INTO orders (id, cents, by_old) SELECT id, $2, true FROM taken`,
        [orderId, cents],
      )
    }
    return { batchItemFailures: [] }
  }
}

it('an old consumer with processed_events in PostgreSQL and its successor read one queue at once: each order once', async () => {
  await using cloud = await startLocalCloud(
    {
      queues: {
        orders: { visibilityTimeout: 3, deadLetter: { queue: 'dead', maxReceiveCount: 1_000 } },
        dead: {},
      },
      tables: { lineclear: tableDefinition() },
    },
    { logger: quietLogger() },
  )
  const pool = poolOf(await emptySchema())
  await postgresEffects(pool).createTables()
  await pool.query(`
    CREATE TABLE processed_events (id text PRIMARY KEY);
    CREATE TABLE orders (id text, cents int, by_old boolean)`)
  const store = dynamoDbStore({ tableName: 'lineclear', client: cloud.dynamodb })
  const queueUrl = cloud.queueUrl('orders')
  const given = { store, clients: { sqs: cloud.sqs }, logger: quietLogger(), queueUrl }
  const ids = Array.from({ length: 40 }, (_, nth) => `order-${nth}`)
  for (const orderId of [...ids, ...ids]) {
    const MessageBody = JSON.stringify({ orderId, cents: 500 })
    await cloud.sqs.send(new SendMessageCommand({ QueueUrl: queueUrl, MessageBody }))
  }
  const faults = { duplicate: 0.2, duplicateLater: 0.1, shuffle: true, kill: 0.02 }
  const both = { cloud, queue: 'orders', logger: quietLogger(), batchSize: 2 }
  await using old = mapQueue({ ...both, faults, handler: oldConsumer(pool) })
  await using successor = mapQueue({
    ...both,
    faults: { ...faults, loseAnswer: 0.02 },
    handler: ordersBesideEvents(given, pool),
  })
  await untilQuiet([old, successor])

  const { rows } = await pool.query<{ id: string; by_old: boolean | null }>('SELECT * FROM orders')
  expect(rows.map(({ id }) => id).toSorted()).toEqual(ids.toSorted())
  expect(new Set(rows.map(({ by_old }) => by_old === true))).toEqual(new Set([true, false]))
  expect(cloud.inspectQueue('dead').ready).toEqual([])
})
