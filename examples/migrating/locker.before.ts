import { DynamoDBClient } from '@aws-sdk/client-dynamodb'
import {
  DeleteCommand,
  DynamoDBDocumentClient,
  GetCommand,
  PutCommand,
} from '@aws-sdk/lib-dynamodb'
import type { SQSEvent } from 'aws-lambda'
import { charge } from '../payments-api/payments.ts'

const tables = DynamoDBDocumentClient.from(new DynamoDBClient())

class Locker {
  async acquire(id: string, seconds: number): Promise<void> {
    const now = Math.floor(Date.now() / 1_000)
    await tables.send(
      new PutCommand({
        TableName: 'locks',
        Item: { id, ttl: now + seconds },
        ConditionExpression: 'attribute_not_exists(id) OR #ttl < :now',
        ExpressionAttributeNames: { '#ttl': 'ttl' },
        ExpressionAttributeValues: { ':now': now },
      }),
    )
  }

  async release(id: string): Promise<void> {
    await tables.send(new DeleteCommand({ TableName: 'locks', Key: { id } }))
  }
}

const locker = new Locker()

async function takeOrder({ sku, cents }: { sku: string; cents: number }): Promise<void> {
  await locker.acquire(sku, 10)
  try {
    const found = await tables.send(new GetCommand({ TableName: 'stock', Key: { sku } }))
    await charge(cents)
    const reserved = Number(found.Item?.['reserved'] ?? 0) + 1
    await tables.send(new PutCommand({ TableName: 'stock', Item: { sku, reserved } }))
  } finally {
    await locker.release(sku)
  }
}

export async function handler({ Records }: SQSEvent): Promise<void> {
  for (const { body } of Records)
    await takeOrder(JSON.parse(body) as Parameters<typeof takeOrder>[0])
}
