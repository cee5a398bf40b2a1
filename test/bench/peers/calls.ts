import { IdempotencyConfig, makeIdempotent } from '@aws-lambda-powertools/idempotency'
import { DynamoDBPersistenceLayer } from '@aws-lambda-powertools/idempotency/dynamodb'
import { idempotent } from 'lineclear'
import { dynamoDbStore } from 'lineclear/dynamodb'
import type { Order } from '../events.ts'
import type { Handler, Peer } from './peer.ts'

/** A function that runs once for each order: calls one by one, as of an API. */
export const lineclearCalls: Peer = ({ client, work }) =>
  oneByOne(
    idempotent(
      {
        store: dynamoDbStore({ tableName: 'lineclear', ...(client !== undefined && { client }) }),
        scope: 'orders',
        key: ({ orderId }: Order) => orderId,
      },
      async (order: Order) => {
        await work(order)
        return { accepted: true }
      },
    ),
  )

/** As its documentation shows it. */
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
  return oneByOne(makeIdempotent(place, { persistenceStore, config }))
}

function oneByOne(call: (order: Order) => Promise<unknown>): Handler {
  return async ({ Records }) => {
    for (const { body } of Records) await call(JSON.parse(body) as Order)
    return { batchItemFailures: [] }
  }
}
