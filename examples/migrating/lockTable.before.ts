import { ConditionalCheckFailedException, DynamoDBClient } from '@aws-sdk/client-dynamodb'
import { DeleteCommand, DynamoDBDocumentClient, PutCommand } from '@aws-sdk/lib-dynamodb'
import { type Receipt, refundAtProvider } from '../payments-api/payments.ts'

const locks = DynamoDBDocumentClient.from(new DynamoDBClient())
const TableName = 'locks'

export async function refundOnce(paymentId: string): Promise<Receipt | undefined> {
  try {
    const expiresAt = Math.floor(Date.now() / 1_000) + 24 * 60 * 60
    const ConditionExpression = 'attribute_not_exists(id)'
    await locks.send(
      new PutCommand({ TableName, Item: { id: paymentId, expiresAt }, ConditionExpression }),
    )
  } catch (error) {
    if (error instanceof ConditionalCheckFailedException) return undefined
    throw error
  }
  try {
    return await refundAtProvider(paymentId, { idempotencyKey: paymentId })
  } catch (error) {
    await locks.send(new DeleteCommand({ TableName, Key: { id: paymentId } }))
    throw error
  }
}
