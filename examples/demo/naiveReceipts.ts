import { DynamoDBDocumentClient, GetCommand, UpdateCommand } from '@aws-sdk/lib-dynamodb'
import type { LocalCloud, QueueHandler } from 'lineclear/local'
import { Callback } from './callbacks.ts'
import { eachRecord } from './naiveRecords.ts'
import { TABLES } from './tables.ts'

/** Hands a receipt to its customer, unless that was done. Here the receipt is a count. */
export function naiveReceipts(cloud: LocalCloud): QueueHandler {
  const database = DynamoDBDocumentClient.from(cloud.dynamodb)
  return eachRecord(async (body) => {
    const { transactionId } = Callback.parse(JSON.parse(body))
    const target = { TableName: TABLES.naive.receipts, Key: { transactionId } }
    const { Item } = await database.send(new GetCommand({ ...target, ConsistentRead: true }))
    if (Item !== undefined) return
    await database.send(
      new UpdateCommand({
        ...target,
        UpdateExpression: 'ADD taken :one',
        ExpressionAttributeValues: { ':one': 1 },
      }),
    )
  })
}
