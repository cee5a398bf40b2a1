import { SendMessageCommand } from '@aws-sdk/client-sqs'
import { tableDefinition } from 'lineclear/dynamodb'
import { mapQueue, startLocalCloud } from 'lineclear/local'
import { type Keep, stopAtEnd } from '../keep.ts'
import { FAULTS, untilQuiet } from '../quiet.ts'
import { startPostgres } from './local/startPostgres.ts'

export interface LedgerResult {
  readonly transfers: number
  /** Connections to PostgreSQL that were cut. */
  readonly cut: number
  /** Transfers with exactly one entry on each side. */
  readonly booked: number
  readonly entries: number
  /** The sum of all accounts: if it is not 0, money was made or lost. */
  readonly sum: number
  /** Receipts, each counted once. Two receipts of one transfer are the same. */
  readonly receipts: number
}

const QUEUE = { visibilityTimeout: 18, deadLetter: { queue: 'dead', maxReceiveCount: 100 } }
const ACCOUNTS = 5

/** Transfers between five accounts, while messages come twice, sandboxes die, and sessions of PostgreSQL are ended. */
export async function run(
  transfers: number,
  say: (line: string) => void,
  keep: Keep = stopAtEnd,
): Promise<LedgerResult> {
  const postgres = await startPostgres()
  try {
    return await runOn(postgres.url, transfers, say, keep)
  } finally {
    await postgres.stop()
  }
}

async function runOn(
  url: string,
  transfers: number,
  say: (line: string) => void,
  keep: Keep,
): Promise<LedgerResult> {
  await using cloud = await startLocalCloud({
    queues: { transfers: QUEUE, receipts: {}, dead: {} },
    tables: { lineclear: tableDefinition() },
  })
  Object.assign(process.env, cloud.environment, {
    DATABASE_URL: url,
    RECEIPTS_QUEUE: cloud.queueUrl('receipts'),
  })
  const { createTables, pool } = await import('./database.ts')
  const { handler } = await import('./handler.ts')
  await createTables()
  const mapping = mapQueue({
    cloud,
    queue: 'transfers',
    handler,
    functionTimeout: '3s',
    faults: FAULTS,
  })
  say(`${transfers} transfers between ${ACCOUNTS} accounts …`)
  for (let number = 1; number <= transfers; number += 1) {
    const transfer = {
      transferId: `transfer-${number}`,
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
  const cutting = cutSessions(url, transfers)
  await untilQuiet([mapping])
  const cut = await cutting

  const { rows } = await pool.query<{ transfer: string; entries: number; sum: string }>(
    'SELECT transfer, count(*)::int AS entries, sum(cents) AS sum FROM entries GROUP BY transfer',
  )
  const receipts = cloud.inspectQueue('receipts').ready.map(({ body }) => body)
  const result = {
    transfers,
    cut,
    booked: rows.filter(({ entries, sum }) => entries === 2 && Number(sum) === 0).length,
    entries: rows.reduce((total, { entries }) => total + entries, 0),
    sum: rows.reduce((total, { sum }) => total + Number(sum), 0),
    receipts: new Set(receipts).size,
  }
  say(
    `${result.booked} of ${transfers} booked once, ${result.entries} entries, ${result.receipts} receipts, ` +
      `${cut} sessions cut; the accounts add up to ${result.sum}.`,
  )
  await keep(cloud)
  await pool.end()
  return result
}

/** Ends sessions of PostgreSQL in the middle of their transactions. @returns how many */
async function cutSessions(url: string, most: number): Promise<number> {
  const { Client } = await import('pg')
  const client = new Client({ connectionString: url })
  await client.connect()
  let cut = 0
  for (let times = 0; times < 40 && cut < most; times += 1) {
    const { rowCount } = await client.query(
      `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
       WHERE pid <> pg_backend_pid() AND state LIKE '%in transaction%' LIMIT 1`,
    )
    cut += rowCount ?? 0
    await new Promise((resolve) => setTimeout(resolve, 20))
  }
  await client.end()
  return cut
}
