import { ScanCommand } from '@aws-sdk/client-dynamodb'
import {
  CreateQueueCommand,
  GetQueueAttributesCommand,
  SendMessageBatchCommand,
} from '@aws-sdk/client-sqs'
import { recordHandler } from 'lineclear'
import { dynamoDbStore } from 'lineclear/dynamodb'
import { runWorker } from 'lineclear/worker'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { z } from 'zod'
import { quietLogger } from '../../deliver/quietLogger.ts'
import { createTables } from '../../store/dynoxide.ts'
import { intercept } from '../../store/seam.ts'
import { type Moto, startMoto } from './startMoto.ts'

let moto: Moto
beforeAll(async () => void (moto = await startMoto()))
afterAll(() => moto.stop())

const ORDERS = 98
const Order = z.object({ order: z.string() })
const BATCH = 'BatchExecuteStatementCommand'

const url = async (QueueName: string, Attributes: Record<string, string> = {}): Promise<string> => {
  const { QueueUrl = '' } = await moto.sqs.send(new CreateQueueCommand({ QueueName, Attributes }))
  return QueueUrl
}

async function attributesOf(QueueUrl: string): Promise<Readonly<Record<string, string>>> {
  const asked = new GetQueueAttributesCommand({ QueueUrl, AttributeNames: ['All'] })
  return (await moto.sqs.send(asked)).Attributes ?? {}
}

async function leftOn(queueUrl: string): Promise<number> {
  const { ApproximateNumberOfMessages, ...hidden } = await attributesOf(queueUrl)
  const { ApproximateNumberOfMessagesNotVisible, ApproximateNumberOfMessagesDelayed } = hidden
  return [
    ApproximateNumberOfMessages,
    ApproximateNumberOfMessagesNotVisible,
    ApproximateNumberOfMessagesDelayed,
  ].reduce((sum, each) => sum + Number(each), 0)
}

it('every order is booked, charged and passed on exactly once', async () => {
  const { tableName, userTable } = await createTables(moto.dynamodb)
  const dead = await url('dead')
  const { QueueArn: deadLetterTargetArn } = await attributesOf(dead)
  const RedrivePolicy = JSON.stringify({ deadLetterTargetArn, maxReceiveCount: 10 })
  const taking = { RedrivePolicy, VisibilityTimeout: '30' }
  const [orders, parcels] = [await url('orders', taking), await url('parcels', taking)]

  const answers: string[] = []
  const client = intercept(moto.dynamodb, 'inside', async (call) => {
    if (call.command !== BATCH) return call.send()
    return call.send().then(
      (answer) => (answers.push('right'), answer),
      (error: Error) => {
        answers.push(error.name)
        throw error
      },
    )
  })
  const common = {
    store: dynamoDbStore({ tableName, client }),
    clients: { sqs: moto.sqs },
    logger: quietLogger(),
    deadLetterQueueUrl: dead,
    // A refused transaction puts all tables of moto back as they were before it (5.2.5, `transact_write_items`), and what was written
    // beside it is lost.
    concurrency: 1,
  }
  const charges: string[] = []
  const booking = recordHandler(
    { name: 'orders', queueUrl: orders, schema: Order, id: ({ order }) => order, ...common },
    async ({ order }, ctx) => {
      await ctx.write('sum', { TableName: userTable, Key: { id: 'sum' }, add: { total: 1 } })
      await ctx.call('charge', async () => void charges.push(order))
      await ctx.send(parcels, { order })
    },
  )
  const sending = recordHandler(
    { name: 'parcels', queueUrl: parcels, schema: Order, ...common },
    async ({ order }, ctx) => {
      const Key = { id: order }
      await ctx.write('parcel', { TableName: userTable, Key, add: { parcels: 1 } })
    },
  )
  for (let nth = 0; nth < ORDERS; nth += 7) {
    const Entries = Array.from({ length: 7 }, (_, at) => ({
      Id: `${at}`,
      MessageBody: JSON.stringify({ order: `order-${nth + at}` }),
    }))
    await moto.sqs.send(new SendMessageBatchCommand({ QueueUrl: orders, Entries }))
  }

  for (const [queueUrl, handler] of [
    [orders, booking],
    [parcels, sending],
  ] as const) {
    const stop = new AbortController()
    const running = { sqs: moto.sqs, waitSeconds: 0, signal: stop.signal, batchSize: 10 } as const
    const worker = runWorker({ ...running, queueUrl, handler, functionTimeout: '5s' })
    await expect.poll(() => leftOn(queueUrl), { interval: 500 }).toBe(0)
    stop.abort()
    await worker
  }

  const { Items = [] } = await moto.dynamodb.send(new ScanCommand({ TableName: userTable }))
  const rows = Items.map(({ id, total, parcels: sent }) => [id?.S, total?.N ?? sent?.N] as const)
  const right = Array.from({ length: ORDERS }, (_, nth) => [`order-${nth}`, '1'] as const)
  expect(new Map(rows)).toEqual(new Map([['sum', String(ORDERS)], ...right]))
  expect(charges).toHaveLength(ORDERS)
  expect(new Set(charges).size).toBe(ORDERS)
  expect(await leftOn(dead)).toBe(0)
  // Otherwise this engine would show nothing that the others do not.
  expect(answers).toContain('SyntaxError')
})
