import { BatchProcessor, EventType, processPartialResponse } from '@aws-lambda-powertools/batch'
import { IdempotencyConfig, makeIdempotent } from '@aws-lambda-powertools/idempotency'
import { DynamoDBPersistenceLayer } from '@aws-lambda-powertools/idempotency/dynamodb'
import { DynamoDBClient } from '@aws-sdk/client-dynamodb'
import { DynamoDBDocumentClient, UpdateCommand } from '@aws-sdk/lib-dynamodb'
import type { Context, SQSBatchResponse, SQSEvent, SQSRecord } from 'aws-lambda'
import { charge } from '../payments-api/payments.ts'

const tables = DynamoDBDocumentClient.from(new DynamoDBClient())
const processor = new BatchProcessor(EventType.SQS)
const persistenceStore = new DynamoDBPersistenceLayer({ tableName: 'idempotency' })
const config = new IdempotencyConfig({ eventKeyJmesPath: 'messageId' })
const oneMore = { UpdateExpression: 'ADD reserved :n', ExpressionAttributeValues: { ':n': 1 } }

const takeOrder = makeIdempotent(
  async ({ body, messageId }: SQSRecord) => {
    const { sku, cents } = JSON.parse(body) as { sku: string; cents: number }
    await tables.send(new UpdateCommand({ TableName: 'stock', Key: { sku }, ...oneMore }))
    await charge(cents, messageId)
  },
  { persistenceStore, config },
)

export const handler = (event: SQSEvent, context: Context): Promise<SQSBatchResponse> => {
  config.registerLambdaContext(context)
  return processPartialResponse(event, takeOrder, processor, { context })
}
