import { IdempotencyConfig } from '@aws-lambda-powertools/idempotency'
import { DynamoDBPersistenceLayer } from '@aws-lambda-powertools/idempotency/dynamodb'
import { makeHandlerIdempotent } from '@aws-lambda-powertools/idempotency/middleware'
import middyjs from '@middy/core'
import { charge } from '../payments-api/payments.ts'

const persistenceStore = new DynamoDBPersistenceLayer({ tableName: 'idempotency' })
const config = new IdempotencyConfig({ eventKeyJmesPath: 'orderId' })

export const handler = middyjs(({ orderId, cents }: { orderId: string; cents: number }) =>
  charge(cents, orderId),
).use(makeHandlerIdempotent({ persistenceStore, config }))
