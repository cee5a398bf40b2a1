import { randomUUID } from 'node:crypto'
import {
  type SendMessageBatchCommand,
  type SendMessageBatchRequestEntry,
  SQSClient,
} from '@aws-sdk/client-sqs'
import type { SQSRecord } from 'aws-lambda'
import { defineFlow, recordHandler } from 'lineclear'
import { dynamoDbStore } from 'lineclear/dynamodb'
import { sqsRecord } from 'lineclear/testing'
import { z } from 'zod'
import { contextOf } from '../context.ts'
import type { Part } from '../measured.ts'
import type { Handler } from '../peers/peer.ts'
import { quietly } from '../peers/quietly.ts'
import { startDatabase, type Database } from '../database/startDatabase.ts'
import { clientOf } from './counts.ts'

/** What comes of records that have failed, when they come back. */
export interface SecondAttempt {
  readonly kind: 'record' | 'flow'
  readonly second: 'ends well' | 'fails again' | 'is the last' | 'comes too early'
  /** Records in the batch. */
  readonly size: number
}

/** Per record: requests to DynamoDB and to SQS, and write units on the table and its index. */
export interface SecondCost {
  readonly db: number
  readonly sqs: number
  readonly units: number
}

const SECONDS = ['ends well', 'fails again', 'is the last', 'comes too early'] as const

export const seconds: Part = {
  name: 'seconds',
  title: 'requests and units of attempts after a failure',
  async measure() {
    const database = await startDatabase()
    const rows: (SecondAttempt & SecondCost)[] = []
    for (const kind of ['record', 'flow'] as const) {
      for (const second of SECONDS) {
        for (const size of [10, 100]) {
          const attempt = { kind, second, size }
          rows.push({ ...attempt, ...(await countSecondAttempt(database, attempt)) })
        }
      }
    }
    await database.stop()
    const table = {
      title: 'An attempt after a failure, counted per record, index included',
      head: ['batch', 'of a', 'which', 'requests', 'to SQS', 'write units'],
      rows: rows.map(({ size, kind, second, db, sqs, units }) => [
        size,
        kind,
        second,
        db,
        sqs,
        units,
      ]),
    }
    const figures = rows
      .filter(({ kind, second }) => kind === 'record' && second === 'ends well')
      .map(({ size, db }) => [`requests per record, after a failure, batch of ${size}`, db])
    return { tables: [table], figures: Object.fromEntries(figures) }
  },
}

/** A batch fails, and comes back to a function that has just started. */
export async function countSecondAttempt(
  database: Database,
  attempt: SecondAttempt,
): Promise<SecondCost> {
  const { size, second } = attempt
  database.reset()
  const world = { now: Date.now(), works: false }
  const { sqs, sent } = countingSqs()
  const records = Array.from({ length: size }, () => sqsRecord({ orderId: randomUUID() }))
  await handlerOf(database, attempt, world, sqs)({ Records: records }, contextOf(randomUUID()))
  const copies = sent.splice(0).flatMap(({ Entries }) => Entries ?? [])
  if (copies.length !== size) throw new Error(`${copies.length} of ${size} records have failed`)
  world.works = second === 'ends well'
  if (second !== 'comes too early') world.now += HOUR
  database.startCounting()
  const again = handlerOf(database, attempt, world, sqs)
  await again({ Records: copies.map(recordOf) }, contextOf(randomUUID()))
  const { requests, writeUnits } = database.counts()
  return { db: requests / size, sqs: sent.length / size, units: writeUnits / size }
}

const HOUR = 3_600_000
const QUEUE = 'https://sqs.eu-west-1.amazonaws.com/123456789012/orders'

interface World {
  now: number
  works: boolean
}

/** A function that has just started. */
function handlerOf(
  database: Database,
  { kind, second }: SecondAttempt,
  world: World,
  sqs: SQSClient,
): Handler {
  const clock = { now: () => world.now, sleep: async () => {} }
  const shared = {
    store: dynamoDbStore({ tableName: 'lineclear', client: clientOf(database), clock }),
    clients: { sqs },
    clock,
    retry: { maxAttempts: second === 'is the last' ? 2 : 5, delay: '1m' },
    ...quietly(true),
  } as const
  const work = (): void => {
    if (!world.works) throw new Error('not yet')
  }
  const deadLetterQueueUrl = `${QUEUE}-dead`
  if (kind === 'record')
    return recordHandler({ name: 'orders', deadLetterQueueUrl, ...shared }, work)
  const order = { schema: ORDER, queueUrl: QUEUE, deadLetterQueueUrl, final: true } as const
  const flow = defineFlow({
    name: 'booking',
    key: ({ orderId }: z.infer<typeof ORDER>) => orderId,
    stages: { order },
    ...shared,
  })
  return flow.stageHandler('order', work)
}

const ORDER = z.object({ orderId: z.string() })

function recordOf({
  MessageBody = '',
  MessageAttributes = {},
}: SendMessageBatchRequestEntry): SQSRecord {
  const named = Object.entries(MessageAttributes)
  const attributes = Object.fromEntries(
    named.map(([name, { StringValue = '' }]) => [name, StringValue]),
  )
  return sqsRecord(MessageBody, { attributes })
}

/** Accepts everything. `sent`: the input of each call. */
function countingSqs() {
  const sent: { Entries?: SendMessageBatchRequestEntry[] | undefined }[] = []
  const sqs = new SQSClient({ region: 'eu-west-1' })
  sqs.send = async (command: SendMessageBatchCommand) => {
    sent.push(command.input)
    const { Entries = [] } = command.input
    return { Successful: Entries.map(({ Id }) => ({ Id, MessageId: randomUUID() })), Failed: [] }
  }
  return { sqs, sent }
}
