import {
  GetItemCommand,
  TransactWriteItemsCommand,
  UpdateItemCommand,
} from '@aws-sdk/client-dynamodb'
import { tableDefinition } from 'lineclear/dynamodb'
import {
  type CallMatch,
  type LocalCloud,
  type LocalEvent,
  type NextFault,
  startLocalCloud,
} from 'lineclear/local'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { newFaultLog } from '../../../src/tools/console/dev/faultLog.ts'
import { quietMapping, send } from './helpers.ts'

interface Case {
  readonly fault: NextFault
  readonly match: CallMatch
  readonly ends: string
  /** Default: the same. */
  readonly recorded?: object
}

const CASES: readonly Case[] = [
  {
    fault: 'conflict',
    match: { action: 'UpdateItem' },
    ends: 'answered TransactionConflictException',
  },
  {
    fault: 'conflict',
    match: { action: 'TransactWriteItems' },
    ends: 'answered TransactionCanceledException',
  },
  {
    fault: 'tableThrottle',
    match: { action: 'TransactWriteItems' },
    ends: 'answered TransactionCanceledException',
  },
  {
    fault: 'staleRead',
    match: { action: 'GetItem', nth: 2 },
    ends: 'answered before 1, after 1',
  },
  {
    fault: 'sandboxDeath',
    match: { action: 'UpdateItem' },
    ends: 'killed, then answered before 2, after 3',
    recorded: { fault: 'killBefore', action: 'GetItem' },
  },
  {
    fault: 'sandboxDeath',
    match: { action: 'GetItem', nth: 2 },
    ends: 'killed, then answered before 3, after 4',
    recorded: { fault: 'killBeforeDelete' },
  },
  {
    fault: 'killBeforeDelete',
    match: {},
    ends: 'killed, then answered before 3, after 4',
  },
  { fault: 'freeze', match: {}, ends: 'answered before 1, after 2' },
]

const queueOf = (at: number): string => `q${at}`

let cloud: LocalCloud
beforeAll(async () => {
  const queues = CASES.map((_, at) => [queueOf(at), { visibilityTimeout: 1 }] as const)
  cloud = await startLocalCloud({
    queues: Object.fromEntries(queues),
    tables: { lineclear: tableDefinition(), stock: { hash: 'sku' } },
  })
})
afterAll(() => cloud.stop())

/** Counts twice, and says what it has read before and after the second. */
async function work(sku: string): Promise<string> {
  const Key = { sku: { S: sku } }
  const count = {
    TableName: 'stock',
    Key,
    UpdateExpression: 'ADD n :one',
    ExpressionAttributeValues: { ':one': { N: '1' } },
  }
  const read = async () =>
    (await cloud.dynamodb.send(new GetItemCommand({ TableName: 'stock', Key }))).Item?.['n']?.N
  try {
    await cloud.dynamodb.send(new UpdateItemCommand(count))
    const before = await read()
    await cloud.dynamodb.send(new TransactWriteItemsCommand({ TransactItems: [{ Update: count }] }))
    return `before ${before}, after ${await read()}`
  } catch (error) {
    return error instanceof Error ? error.name : String(error)
  }
}

describe.concurrent('a fault that waits', () => {
  it.each(CASES.map((each, at) => ({ ...each, queue: queueOf(at) })))(
    '$fault at $match: $ends; and what is recorded of it aims it again',
    async ({ fault, match, ends, queue, recorded = { fault, ...match } }) => {
      const answers: string[] = []
      const outcomes: string[] = []
      let sent = ''
      const log = newFaultLog((id) => (id === sent ? 1 : undefined))
      const observe = (event: LocalEvent): void => {
        log.observe(event)
        if (event.type === 'ended') outcomes.push(event.outcome)
      }
      const handler = async (): Promise<void> => void answers.push(await work(queue))
      const mapping = quietMapping({ cloud, queue, handler, observe, batchSize: 1, concurrency: 1 })
      sent = await sendPaused(mapping, queue)
      mapping.faultNextCall(fault, { ...match, request: ['another', sent] })
      mapping.resume()
      await mapping.drained({ timeout: '10m' })
      const last = `${outcomes.at(-1)} ${answers.at(-1)}`
      expect([...outcomes.slice(0, -1), last].join(', then ')).toBe(ends)
      expect(log.newest()[0]).toEqual({ consumer: queue, message: 1, ...recorded })
    },
  )
})

async function sendPaused(
  mapping: ReturnType<typeof quietMapping>,
  queue: string,
): Promise<string> {
  await mapping.pause()
  return send(cloud, queue, { MessageBody: '1' })
}
