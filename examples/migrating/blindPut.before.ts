import { type DynamoDBDocumentClient, PutCommand } from '@aws-sdk/lib-dynamodb'
import type { SQSBatchResponse, SQSEvent } from 'aws-lambda'

interface Change {
  readonly orderId: string
  readonly state: string
}

/** The old consumer. A delivery that comes late puts an old state over a newer one. */
export function putStates(tables: DynamoDBDocumentClient) {
  return async ({ Records }: SQSEvent): Promise<SQSBatchResponse> => {
    for (const { body } of Records) {
      const { orderId, state } = JSON.parse(body) as Change
      await tables.send(new PutCommand({ TableName: 'orders', Item: { orderId, state } }))
    }
    return { batchItemFailures: [] }
  }
}
