import { TransactionCanceledException } from '@aws-sdk/client-dynamodb'
import { type DynamoDBDocumentClient, TransactWriteCommand } from '@aws-sdk/lib-dynamodb'
import type { SQSBatchResponse, SQSEvent } from 'aws-lambda'

interface Change {
  readonly changeId: string
  readonly orderId: string
  readonly state: string
}

/** The old consumer with one change: the side that has put `taken` has put the state, and neither puts it again. */
export function putStatesOnce(tables: DynamoDBDocumentClient) {
  const take = async ({ changeId: id, orderId, state }: Change): Promise<void> => {
    const taken = { TableName: 'taken', Item: { id, by: 'old' } }
    try {
      await tables.send(
        new TransactWriteCommand({
          TransactItems: [
            { Put: { ...taken, ConditionExpression: 'attribute_not_exists(id)' } },
            { Put: { TableName: 'orders', Item: { orderId, state } } },
          ],
        }),
      )
    } catch (error) {
      if (!(error instanceof TransactionCanceledException)) throw error
      // Another code, such as TransactionConflict, is no proof that it was taken: the message has to come again.
      if (error.CancellationReasons?.[0]?.Code !== 'ConditionalCheckFailed') throw error
    }
  }
  return async ({ Records }: SQSEvent): Promise<SQSBatchResponse> => {
    const outcomes = await Promise.allSettled(
      Records.map(({ body }) => take(JSON.parse(body) as Change)),
    )
    const failed = Records.filter((_, nth) => outcomes[nth]?.status === 'rejected')
    return { batchItemFailures: failed.map(({ messageId }) => ({ itemIdentifier: messageId })) }
  }
}
