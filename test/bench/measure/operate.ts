import { join } from 'node:path'
import { env } from 'node:process'
import { SendMessageBatchCommand } from '@aws-sdk/client-sqs'
import { startLocalCloud } from 'lineclear/local'
import { indexed } from '../../../src/library/protocol/claim/statusIndex.ts'
import { type Database, startDatabase } from '../database/startDatabase.ts'
import type { Part } from '../measured.ts'
import { freshProcess } from '../process/freshProcess.ts'

const SILENT = { debug(): void {}, info(): void {}, warn(): void {}, error(): void {} }

const ITEMS = 100_000
const LETTERS = 10_000
const MB = 1_048_576

/** What an operator waits for: `lineclear status` on a table and a queue that are full, in a fresh process. */
export const operate: Part = {
  name: 'operate',
  title: 'lineclear status',
  async measure() {
    const database = await startDatabase()
    const queues = { dead: {}, orders: { deadLetter: { queue: 'dead', maxReceiveCount: 5 } } }
    const cloud = await startLocalCloud({ queues }, { logger: SILENT })
    const look = () => statusOn(database, cloud.endpoints.sqs ?? '')
    const empty = await look()
    fillTable(database)
    for (let sent = 0; sent < LETTERS; sent += 10) {
      const Entries = Array.from({ length: 10 }, (_, at) => ({
        Id: `e${at}`,
        MessageBody: JSON.stringify({ n: sent + at }),
      }))
      await cloud.sqs.send(
        new SendMessageBatchCommand({ QueueUrl: cloud.queueUrl('dead'), Entries }),
      )
    }
    const full = await look()
    await cloud.stop()
    await database.stop()
    const more = (full.peakRss - empty.peakRss) / MB
    return {
      tables: [
        {
          title: 'lineclear status in a fresh process, plain HTTP',
          head: ['table and queue', 'seconds', 'peak RSS, MB'],
          rows: [
            ['empty', empty.seconds, empty.peakRss / MB],
            ['100,000 items, 10,000 letters', full.seconds, full.peakRss / MB],
          ],
        },
      ],
      figures: {
        'seconds of lineclear status, 100,000 items and 10,000 letters': full.seconds,
        'MB of lineclear status, 100,000 items and 10,000 letters, above empty ones': more,
      },
    }
  },
}

/** Half of them are in progress, a tenth has failed with one of ten causes, the others have ended. */
function fillTable(database: Database): void {
  const now = Date.now()
  for (let nth = 0; nth < ITEMS; nth++) {
    const pk = `lock#orders/${nth}`
    const status = nth % 10 === 0 ? 'error' : nth % 2 === 0 ? undefined : 'inProgress'
    const place = status === undefined ? undefined : indexed(pk, status, now + nth)
    database.operate('PutItem', {
      TableName: 'lineclear',
      Item: {
        ...texts({ pk, sk: 'token', attemptId: 'a', created: new Date(now - nth).toISOString() }),
        ...numbers({ format: 1, attempt: 2, fence: 2, leaseUntil: now + 60_000 }),
        ...(status !== undefined && texts({ status })),
        ...(status === 'error' &&
          texts({ reason: 'exhausted', error: `Error: HTTP 50${nth % 7}` })),
        ...(place && {
          ...texts({ statusShard: place.statusShard }),
          ...numbers({ dueAt: place.dueAt }),
        }),
      },
    })
  }
}

function texts(all: Readonly<Record<string, string>>): object {
  return Object.fromEntries(Object.entries(all).map(([name, S]) => [name, { S }]))
}

function numbers(all: Readonly<Record<string, number>>): object {
  return Object.fromEntries(Object.entries(all).map(([name, N]) => [name, { N: String(N) }]))
}

interface Look {
  readonly seconds: number
  readonly peakRss: number
}

async function statusOn(database: Database, sqs: string): Promise<Look> {
  const usage = join(import.meta.dirname, '../process/usage.ts')
  const file = join(import.meta.dirname, '../../../src/tools/cli/main.ts')
  const { seconds = Number.NaN, peakRss = Number.NaN } = await freshProcess(
    ['--conditions=lineclear:source', `--import=${usage}`, file, 'status'],
    {
      PATH: env['PATH'],
      AWS_REGION: 'us-east-1',
      AWS_ACCESS_KEY_ID: 'local',
      AWS_SECRET_ACCESS_KEY: 'local',
      AWS_ENDPOINT_URL_DYNAMODB: database.endpoint,
      AWS_ENDPOINT_URL_SQS: sqs,
    },
  )
  return { seconds, peakRss }
}
