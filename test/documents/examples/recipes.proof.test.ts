import { execFile } from 'node:child_process'
import { resolve } from 'node:path'
import { promisify } from 'node:util'
import { PutItemCommand } from '@aws-sdk/client-dynamodb'
import { ReceiveMessageCommand, SendMessageCommand } from '@aws-sdk/client-sqs'
import { tableDefinition } from 'lineclear/dynamodb'
import { type LocalCloud, mapQueue, type QueueHandler, startLocalCloud } from 'lineclear/local'
import { eventBridgeEvent, s3Notification } from 'lineclear/testing'
import { afterAll, beforeAll, beforeEach, expect, it, vi } from 'vitest'
import { untilQuiet } from '../../../examples/quiet.ts'
import { rowsOf } from '../../../examples/rows.ts'

const ROOT = resolve(import.meta.dirname, '../../..')
const QUEUES = [
  'orders',
  'parcels',
  'visits',
  'paid',
  'uploads',
  'pack',
  'close',
  'answers',
  'carrier',
]

let cloud: LocalCloud
beforeAll(async () => {
  cloud = await startLocalCloud({
    queues: Object.fromEntries(QUEUES.map((name) => [name, {}])),
    tables: {
      lineclear: tableDefinition(),
      stock: { hash: 'sku' },
      orders: { hash: 'orderId' },
      parcels: { hash: 'parcelId' },
      visits: { hash: 'page' },
      files: { hash: 'file' },
    },
  })
})
beforeEach(() => {
  vi.spyOn(console, 'log').mockImplementation(() => {})
  const places = { ORDERS_QUEUE: cloud.queueUrl('orders'), PAID_QUEUE: cloud.queueUrl('paid') }
  for (const [name, value] of Object.entries({ ...cloud.environment, ...places })) {
    vi.stubEnv(name, value)
  }
})
afterAll(() => cloud.stop())

const send = (queue: string, payload: unknown) =>
  cloud.sqs.send(
    new SendMessageCommand({
      QueueUrl: cloud.queueUrl(queue),
      MessageBody: JSON.stringify(payload),
    }),
  )

async function consume(queue: string, handler: QueueHandler): Promise<void> {
  await using mapping = mapQueue({ cloud, queue, handler, faults: { duplicate: 0.5 } })
  await untilQuiet([mapping])
}

it('quick-start and producer: an order that is placed twice is reserved and charged once', async () => {
  vi.resetModules()
  const { placeOrder } = await import('../../../examples/producer/send.ts')
  const { handler } = await import('../../../examples/quick-start/handler.ts')
  const charges = new Set<string>()
  vi.stubGlobal('charge', async (order: { orderId: string }, idempotencyKey: string) => {
    charges.add(idempotencyKey)
    return `receipt for ${order.orderId}`
  })
  for (const orderId of ['o1', 'o2', 'o1']) await placeOrder(orderId, 'apple', 3)
  await consume('orders', handler)
  expect(await rowsOf(cloud, 'stock')).toMatchObject([{ sku: 'apple', reserved: 6 }])
  expect(charges.size).toBe(2)
  const QueueUrl = cloud.queueUrl('paid')
  const receive = new ReceiveMessageCommand({ QueueUrl, MaxNumberOfMessages: 10 })
  const { Messages = [] } = await cloud.sqs.send(receive)
  const paid = Messages.map(({ Body = '' }) => (JSON.parse(Body) as { orderId: string }).orderId)
  expect(new Set(paid)).toEqual(new Set(['o1', 'o2']))
})

it('quick-start, flow: an order that is sent and answered twice is shipped once, and its key is free', async () => {
  vi.resetModules()
  vi.stubEnv('PACK_QUEUE', cloud.queueUrl('pack'))
  vi.stubEnv('CLOSE_QUEUE', cloud.queueUrl('close'))
  vi.stubEnv('PARCEL_QUEUE', cloud.queueUrl('answers'))
  vi.stubEnv('CARRIER_QUEUE', cloud.queueUrl('carrier'))
  const { pack, answered, close } = await import('../../../examples/quick-start/flow.ts')
  const order = { orderId: 'o7', changedAt: Date.now() }
  for (let copy = 0; copy < 2; copy++) {
    await send('pack', order)
    await consume('pack', pack)
  }
  const receive = new ReceiveMessageCommand({ QueueUrl: cloud.queueUrl('carrier') })
  const { Messages = [] } = await cloud.sqs.send(receive)
  const { requestId } = JSON.parse(Messages[0]?.Body ?? '') as { requestId: string }
  for (let copy = 0; copy < 2; copy++) {
    await send('answers', { requestId, parcel: 'p-1' })
    await consume('answers', answered)
  }
  await consume('close', close)
  expect(await rowsOf(cloud, 'orders')).toEqual([{ orderId: 'o7', parcel: 'p-1' }])
  const record = (await rowsOf(cloud, 'lineclear')).find(({ sk }) => sk === 'stage')
  expect(record).not.toHaveProperty('uniquerequestid')
})

it('eventbridge: the newest event is kept', async () => {
  vi.resetModules()
  const { handler } = await import('../../../examples/eventbridge/handler.ts')
  const Item = { parcelId: { S: 'p1' } }
  await cloud.dynamodb.send(new PutItemCommand({ TableName: 'parcels', Item }))
  const [, , , , account = ''] = cloud.queueArn('parcels').split(':')
  const around = { source: 'my.parcels', detailType: 'ParcelMoved', account }
  const moved = (id: string, place: string, second: number) =>
    eventBridgeEvent(
      { parcelId: 'p1', place },
      { ...around, id, time: Date.UTC(2026, 1, 2, 12, 0, second) },
    )
  const last = moved('e2', 'customs', 1)
  for (const event of [last, moved('e1', 'harbour', 0), last]) await send('parcels', event)
  await consume('parcels', handler)
  expect(await rowsOf(cloud, 'parcels')).toMatchObject([{ parcelId: 'p1', place: 'customs' }])
})

it('s3-uploads: what happened last to a file stands', async () => {
  vi.resetModules()
  vi.stubEnv('UPLOADS_BUCKET', 'my-uploads')
  const { handler } = await import('../../../examples/s3-uploads/handler.ts')
  const file = { bucket: 'my-uploads', key: 'a b.jpg' }
  const [first, second] = [
    s3Notification({ ...file, size: 1 }),
    s3Notification({ ...file, size: 2 }),
  ]
  const deleted = s3Notification({ ...file, eventName: 'ObjectRemoved:Delete' })
  for (const event of [deleted, second, first, second]) await send('uploads', event)
  await send('uploads', { Service: 'Amazon S3', Event: 's3:TestEvent', Bucket: 'my-uploads' })
  await consume('uploads', handler)
  expect(await rowsOf(cloud, 'files')).toMatchObject([{ file: 'my-uploads/a b.jpg', size: 0 }])
})

it('sql-ledger: every transfer is booked once, and the accounts add up', async () => {
  vi.resetModules()
  const { run } = await import('../../../examples/sql-ledger/run.ts')
  const result = await run(12, () => {})
  expect(result).toMatchObject({ booked: 12, entries: 24, sum: 0, receipts: 12 })
  const { handler } = await import('../../../examples/sql-ledger/cleanUp.ts')
  // The server of the example has ended.
  await expect(handler()).rejects.toBeInstanceOf(Error)
})

it('commonjs: a handler that requires the package', async () => {
  const event = {
    Records: [
      {
        messageId: 'm1',
        receiptHandle: 'r1',
        body: '{"page":"home"}',
        attributes: { SentTimestamp: String(Date.now()), ApproximateReceiveCount: '1' },
        messageAttributes: {},
        eventSource: 'aws:sqs',
        eventSourceARN: 'arn:aws:sqs:us-east-1:000000000000:visits',
        awsRegion: 'us-east-1',
      },
    ],
  }
  const code = `
    const { handler } = require(${JSON.stringify(resolve(ROOT, 'examples/commonjs/handler.cjs'))})
    handler(${JSON.stringify(event)}, { getRemainingTimeInMillis: () => 20_000 }).then(() => process.exit())`
  const args = ['--conditions=lineclear:source', '--input-type=commonjs', '--eval', code]
  const env = { ...process.env, ...cloud.environment }
  await promisify(execFile)(process.execPath, args, { env, cwd: ROOT })
  expect(await rowsOf(cloud, 'visits')).toMatchObject([{ page: 'home', count: 1 }])
})
