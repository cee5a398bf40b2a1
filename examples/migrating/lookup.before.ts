import { DynamoDBClient } from '@aws-sdk/client-dynamodb'
import { DynamoDBDocumentClient, GetCommand, PutCommand } from '@aws-sdk/lib-dynamodb'
import type { SQSEvent } from 'aws-lambda'
import { charge } from '../payments-api/payments.ts'

const tables = DynamoDBDocumentClient.from(new DynamoDBClient())
const TableName = 'processed'

export async function handler({ Records }: SQSEvent): Promise<void> {
  for (const { messageId: id, body } of Records) {
    const { Item } = await tables.send(new GetCommand({ TableName, Key: { id } }))
    if (Item !== undefined) continue
    const { cents } = JSON.parse(body) as { cents: number }
    await charge(cents)
    await tables.send(new PutCommand({ TableName, Item: { id } }))
  }
}
