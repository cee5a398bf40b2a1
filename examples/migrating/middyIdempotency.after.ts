import { search } from '@aws-lambda-powertools/jmespath'
import middyjs from '@middy/core'
import { dynamoDbStore } from 'lineclear/dynamodb'
import { idempotency, jmespath } from 'lineclear/middy'
import { charge } from '../payments-api/payments.ts'

const store = dynamoDbStore({ tableName: 'lineclear' })

export const handler = middyjs(({ orderId, cents }: { orderId: string; cents: number }) =>
  charge(cents, orderId),
).use(idempotency({ store, name: 'orders', key: jmespath('orderId', { search }) }))
