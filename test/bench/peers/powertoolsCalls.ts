import { IdempotencyConfig, makeIdempotent } from '@aws-lambda-powertools/idempotency'
import { DynamoDBPersistenceLayer } from '@aws-lambda-powertools/idempotency/dynamodb'
import type { Order } from '../events.ts'
import { oneByOne } from './oneByOne.ts'
import type { Peer } from './peer.ts'

/** A function that runs once for each order, as the documentation of Powertools shows it. */
export const powertoolsCalls: Peer = ({ client, work }) => {
  const config = new IdempotencyConfig({ eventKeyJmesPath: 'orderId' })
  const persistenceStore = new DynamoDBPersistenceLayer({
    tableName: 'powertools',
    ...(client !== undefined && { awsSdkV3Client: client }),
  })
  const place = async (order: Order): Promise<{ accepted: boolean }> => {
    await work(order)
    return { accepted: true }
  }
  const handle = oneByOne(makeIdempotent(place, { persistenceStore, config }))
  return (event, context) => {
    config.registerLambdaContext(context)
    return handle(event, context)
  }
}
