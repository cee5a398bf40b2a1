import { BatchProcessor, EventType, processPartialResponse } from '@aws-lambda-powertools/batch'
import { IdempotencyConfig, makeIdempotent } from '@aws-lambda-powertools/idempotency'
import { DynamoDBPersistenceLayer } from '@aws-lambda-powertools/idempotency/dynamodb'
import { makeHandlerIdempotent } from '@aws-lambda-powertools/idempotency/middleware'
import middyjs from '@middy/core'
import type { SQSRecord } from 'aws-lambda'
import type { Stage } from '../stage.ts'
import { onManagedInstances } from './onManagedInstances.ts'
import type { Peer } from './peer.ts'

/** As its documentation shows batch and idempotency together. */
export const powertools: Peer = {
  name: 'Powertools batch and idempotency',
  packages: ['@aws-lambda-powertools/idempotency'],
  better: 'also in Python, Java and .NET',
  play: (stage) => {
    const processor = new BatchProcessor(EventType.SQS)
    const config = new IdempotencyConfig({ eventKeyJmesPath: 'powertools_json(body).id' })
    const take = makeIdempotent(async (_record: SQSRecord) => stage.attempt(), {
      persistenceStore: storeOf(stage),
      config,
      keyPrefix: stage.name,
    })
    return onManagedInstances(stage, async (event, context) => {
      config.registerLambdaContext(context)
      return processPartialResponse(event, take, processor, { context })
    })
  },
}

export const middy: Peer = {
  name: 'the same as a middleware of middy',
  packages: ['@middy/core'],
  better: 'one line, for any event of Lambda',
  play: (stage) => {
    const eventKeyJmesPath = 'powertools_json(Records[0].body).id'
    const handler = middyjs(async () => stage.attempt()).use(
      makeHandlerIdempotent({
        persistenceStore: storeOf(stage),
        config: new IdempotencyConfig({ eventKeyJmesPath }),
        keyPrefix: stage.name,
      }),
    )
    return onManagedInstances(stage, async (event, context) => handler(event, context))
  },
}

function storeOf({ cloud }: Stage): DynamoDBPersistenceLayer {
  return new DynamoDBPersistenceLayer({ tableName: 'powertools', awsSdkV3Client: cloud.dynamodb })
}
