import { BatchProcessor, EventType, processPartialResponse } from '@aws-lambda-powertools/batch'
import { IdempotencyConfig, makeIdempotent } from '@aws-lambda-powertools/idempotency'
import { DynamoDBPersistenceLayer } from '@aws-lambda-powertools/idempotency/dynamodb'
import type { SQSRecord } from 'aws-lambda'
import type { Peer } from './peer.ts'

/** Powertools for AWS Lambda, batch and idempotency together, as its documentation shows them. */
export const powertools: Peer = ({ client, work, identity = 'record' }) => {
  const processor = new BatchProcessor(EventType.SQS)
  const config = new IdempotencyConfig({
    eventKeyJmesPath: identity === 'record' ? 'messageId' : 'powertools_json(body).orderId',
  })
  const persistenceStore = new DynamoDBPersistenceLayer({
    tableName: 'powertools',
    ...(client !== undefined && { awsSdkV3Client: client }),
  })
  const handle = makeIdempotent(
    async ({ body }: SQSRecord): Promise<void> => {
      await work(JSON.parse(body))
    },
    { persistenceStore, config },
  )
  return async (event, context) => {
    config.registerLambdaContext(context)
    return processPartialResponse(event, handle, processor, { context })
  }
}
