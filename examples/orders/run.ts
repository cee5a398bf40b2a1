import { GetItemCommand } from '@aws-sdk/client-dynamodb'
import { PublishCommand } from '@aws-sdk/client-sns'
import { SendMessageCommand } from '@aws-sdk/client-sqs'
import { tableDefinition } from 'lineclear/dynamodb'
import { mapQueue, startLocalCloud } from 'lineclear/local'
import { type Keep, stopAtEnd } from '../keep.ts'
import { chargesMade } from './payments.ts'

export interface OrdersResult {
  readonly orders: number
  readonly deliveries: number
  readonly reserved: number
  readonly charges: number
  /** Distinct ids: after an attempt that failed between sending and its end, the next one sends again under the same id. */
  readonly paid: number
}

/** Sends `orders` orders, half directly and half by SNS, under duplicates and lost answers of AWS, and counts what happened. */
export async function run(
  orders: number,
  say: (line: string) => void,
  keep: Keep = stopAtEnd,
): Promise<OrdersResult> {
  await using cloud = await startLocalCloud({
    queues: {
      orders: { visibilityTimeout: 18, deadLetter: { queue: 'orders-dead', maxReceiveCount: 10 } },
      'orders-dead': {},
      paid: {},
    },
    topics: {
      orders: { subscriptions: [{ queue: 'orders' }] },
      paid: { subscriptions: [{ queue: 'paid' }] },
    },
    tables: { lineclear: tableDefinition(), stock: { hash: 'sku' } },
  })
  say(`SQS, SNS and DynamoDB are up. Sending ${orders} orders …`)
  Object.assign(process.env, cloud.environment, {
    ORDERS_TOPIC: cloud.topicArn('orders'),
    PAID_TOPIC: cloud.topicArn('paid'),
  })
  await cloud.instrumentAll(import.meta.url)
  const { handler } = await import('./handler.ts')

  const mapping = mapQueue({
    cloud,
    queue: 'orders',
    handler,
    functionTimeout: 3_000,
    faults: { duplicate: 0.3, shuffle: true, loseAnswer: 0.05 },
  })
  for (let number = 1; number <= orders; number++) {
    const order = JSON.stringify({ orderId: `order-${number}`, sku: 'apple', quantity: 1 })
    await (number % 2 === 0
      ? cloud.sqs.send(
          new SendMessageCommand({ QueueUrl: cloud.queueUrl('orders'), MessageBody: order }),
        )
      : cloud.sns.send(new PublishCommand({ TopicArn: cloud.topicArn('orders'), Message: order })))
  }
  await mapping.drained({ timeout: '10m' })

  const { Item } = await cloud.dynamodb.send(
    new GetItemCommand({ TableName: 'stock', Key: { sku: { S: 'apple' } }, ConsistentRead: true }),
  )
  const announced = cloud.inspectQueue('paid').ready.map(({ carried }) => carried.uniqueRequestId)
  const result = {
    orders,
    deliveries: mapping.counts.deliveries,
    reserved: Number(Item?.['reserved']?.N),
    charges: chargesMade(),
    paid: new Set(announced).size,
  }
  say(
    `${result.deliveries} deliveries: ${result.reserved} reserved, ${result.charges} charged, ${result.paid} announced, in ${announced.length} messages.`,
  )
  await keep(cloud)
  return result
}
