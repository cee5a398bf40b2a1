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
  readonly paid: number
}

/** Sends `orders` orders, half directly and half by SNS, has most of them delivered twice, and counts what happened. */
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
  const { handler } = await import('./handler.ts')

  const mapping = mapQueue({
    cloud,
    queue: 'orders',
    handler,
    functionTimeout: 3_000,
    faults: { duplicate: 0.3, shuffle: true },
  })
  for (let number = 1; number <= orders; number++) {
    const order = JSON.stringify({ orderId: `order-${number}`, sku: 'apple', quantity: 1 })
    await (number % 2 === 0
      ? cloud.sqs.send(
          new SendMessageCommand({ QueueUrl: cloud.queueUrl('orders'), MessageBody: order }),
        )
      : cloud.sns.send(new PublishCommand({ TopicArn: cloud.topicArn('orders'), Message: order })))
  }
  await mapping.drained({ timeout: '100s' })

  const { Item } = await cloud.dynamodb.send(
    new GetItemCommand({ TableName: 'stock', Key: { sku: { S: 'apple' } }, ConsistentRead: true }),
  )
  const result = {
    orders,
    deliveries: mapping.counts.deliveries,
    reserved: Number(Item?.['reserved']?.N),
    charges: chargesMade(),
    paid: cloud.inspectQueue('paid').ready.length,
  }
  say(
    `${result.deliveries} deliveries: ${result.reserved} reserved, ${result.charges} charged, ${result.paid} announced.`,
  )
  await keep(cloud)
  return result
}

if (import.meta.main) await run(40, console.log)
