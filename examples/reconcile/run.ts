import { DeleteItemCommand, PutItemCommand } from '@aws-sdk/client-dynamodb'
import { SendMessageCommand } from '@aws-sdk/client-sqs'
import { tableDefinition } from 'lineclear/dynamodb'
import { dynamoDbReader } from '../../src/tools/operator/aws/tableReader.ts'
import { type LocalCloud, mapQueue, startLocalCloud } from 'lineclear/local'
import { reconcile } from '../../src/tools/operator/reconcile/reconcile.ts'
import type { ReconcileReport } from '../../src/tools/operator/reconcile/report.ts'
import { type Keep, stopAtEnd } from '../keep.ts'
import { FAULTS, untilQuiet } from '../quiet.ts'
import { rowsOf } from '../rows.ts'

const QUEUE = { visibilityTimeout: 18, deadLetter: { queue: 'dead', maxReceiveCount: 100 } }

/** Orders are booked under faults; the books are checked; then they are spoiled by hand and checked again. */
export async function run(
  orders: number,
  say: (line: string) => void,
  keep: Keep = stopAtEnd,
): Promise<readonly ReconcileReport[]> {
  await using cloud = await startLocalCloud({
    queues: { orders: QUEUE, dead: {} },
    tables: { lineclear: tableDefinition(), bookings: { hash: 'bookingId' } },
  })
  Object.assign(process.env, cloud.environment)
  const { handler } = await import('./handler.ts')
  const { default: ledger } = await import('./ledger.ts')
  say(`${orders} orders are paid; functions are killed, messages come twice …`)
  for (let number = 1; number <= orders; number++) {
    const QueueUrl = cloud.queueUrl('orders')
    const MessageBody = JSON.stringify({ orderId: `order-${number}`, cents: 100 * number })
    await cloud.sqs.send(new SendMessageCommand({ QueueUrl, MessageBody }))
  }
  const mapping = mapQueue({
    cloud,
    queue: 'orders',
    handler,
    functionTimeout: '3s',
    faults: FAULTS,
  })
  await untilQuiet([mapping])

  const table = dynamoDbReader({ tableName: 'lineclear', client: cloud.dynamodb })
  const check = async (): Promise<ReconcileReport> => {
    const report = await reconcile({ table, consumer: 'bookings', effects: ['book'], ledger })
    say(`${report.verdict}: ${report.right} of ${report.requests} requests are right`)
    for (const { kind, id, count } of report.anomalies) say(`  ${kind}  ${id}, counted ${count}`)
    return report
  }
  const sound = await check()
  say(
    'Now order-1 is booked again by hand, the booking of order-2 is deleted, and nobody ordered order-0 …',
  )
  await spoil(cloud)
  const reports = [sound, await check()]
  await keep(cloud)
  return reports
}

async function spoil(cloud: LocalCloud): Promise<void> {
  for (const orderId of ['order-1', 'order-0']) {
    const row = { bookingId: `by hand, ${orderId}`, orderId, bookedAt: new Date().toISOString() }
    const Item = Object.fromEntries(Object.entries(row).map(([name, S]) => [name, { S }]))
    await cloud.dynamodb.send(new PutItemCommand({ TableName: 'bookings', Item }))
  }
  const rows = await rowsOf(cloud, 'bookings')
  const bookingId = rows.find(({ orderId }) => orderId === 'order-2')?.['bookingId']
  const Key = { bookingId: { S: String(bookingId) } }
  await cloud.dynamodb.send(new DeleteItemCommand({ TableName: 'bookings', Key }))
}
