import { randomUUID } from 'node:crypto'
import {
  type SendMessageBatchRequestEntry,
  type SendMessageBatchCommand,
  SQSClient,
} from '@aws-sdk/client-sqs'
import type { SQSRecord } from 'aws-lambda'
import { defineFlow, recordHandler } from 'lineclear'
import { dynamoDbStore } from 'lineclear/dynamodb'
import { sqsRecord } from 'lineclear/testing'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { z } from 'zod'
import { contextOf } from './context.ts'
import { clientOf } from './measure/counts.ts'
import type { Handler } from './peers/peer.ts'
import { quietly } from './peers/quietly.ts'
import { startStub, type Stub } from './stub/server.ts'

let stub: Stub

beforeAll(async () => {
  stub = await startStub()
})

afterAll(() => stub.stop())

/**
 * Requests a record that failed costs when it comes back: what an outage of something else costs. `db`: to DynamoDB, `sqs`: to SQS;
 * `units`: write units on the table and its index.
 * Changed? See counts.test.ts.
 */
const BUDGETS = [
  { kind: 'record', second: 'ends well', size: 10, db: 0.3, sqs: 0, units: 5 },
  { kind: 'record', second: 'ends well', size: 100, db: 0.1, sqs: 0, units: 5 },
  { kind: 'record', second: 'fails again', size: 10, db: 0.4, sqs: 0.1, units: 7 },
  { kind: 'record', second: 'fails again', size: 100, db: 0.14, sqs: 0.11, units: 7 },
  { kind: 'record', second: 'is the last', size: 10, db: 0.4, sqs: 0.1, units: 9 },
  { kind: 'record', second: 'is the last', size: 100, db: 0.14, sqs: 0.11, units: 9 },
  { kind: 'record', second: 'comes too early', size: 10, db: 0.1, sqs: 0.1, units: 0 },
  { kind: 'record', second: 'comes too early', size: 100, db: 0.02, sqs: 0.1, units: 0 },
  { kind: 'flow', second: 'ends well', size: 10, db: 0.3, sqs: 0, units: 4 },
  { kind: 'flow', second: 'ends well', size: 100, db: 0.09, sqs: 0, units: 4 },
  { kind: 'flow', second: 'fails again', size: 10, db: 0.4, sqs: 0.1, units: 4 },
  { kind: 'flow', second: 'fails again', size: 100, db: 0.13, sqs: 0.1, units: 4 },
  { kind: 'flow', second: 'is the last', size: 10, db: 0.6, sqs: 0.1, units: 7 },
  { kind: 'flow', second: 'is the last', size: 100, db: 0.18, sqs: 0.1, units: 7 },
  { kind: 'flow', second: 'comes too early', size: 10, db: 0.1, sqs: 0.1, units: 0 },
  { kind: 'flow', second: 'comes too early', size: 100, db: 0.01, sqs: 0.1, units: 0 },
] as const

type Budget = (typeof BUDGETS)[number]

it.each(BUDGETS)('a $kind whose second attempt $second, $size at once', async (budget) => {
  const { size, second } = budget
  stub.reset()
  const world = { now: Date.now(), works: false }
  const { sqs, sent } = countingSqs()
  const records = Array.from({ length: size }, () => sqsRecord({ orderId: randomUUID() }))
  await handlerOf(budget, world, sqs)({ Records: records }, contextOf(randomUUID()))
  const copies = sent.splice(0).flatMap(({ Entries }) => Entries ?? [])
  expect(copies).toHaveLength(size)
  world.works = second === 'ends well'
  if (second !== 'comes too early') world.now += HOUR
  stub.startCounting()
  const again = handlerOf(budget, world, sqs)
  await again({ Records: copies.map(recordOf) }, contextOf(randomUUID()))
  const { requests, writeUnits } = stub.counts()
  const counted = { db: requests / size, sqs: sent.length / size, units: writeUnits / size }
  expect({ ...budget, ...counted }).toEqual(budget)
})

const HOUR = 3_600_000
const QUEUE = 'https://sqs.eu-west-1.amazonaws.com/123456789012/orders'

interface World {
  now: number
  works: boolean
}

/** A function that has just started. */
function handlerOf({ kind, second }: Budget, world: World, sqs: SQSClient): Handler {
  const clock = { now: () => world.now, sleep: async () => {} }
  const shared = {
    store: dynamoDbStore({ tableName: 'lineclear', client: clientOf(stub), clock }),
    sqs,
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
  return flow.handle('order', work)
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
