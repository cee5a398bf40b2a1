import { search } from '@aws-lambda-powertools/jmespath'
import middyjs from '@middy/core'
import cors from '@middy/http-cors'
import httpErrorHandler from '@middy/http-error-handler'
import type { APIGatewayProxyEvent } from 'aws-lambda'
import { callerKey, emfMetrics } from 'lineclear'
import { dynamoDbStore } from 'lineclear/dynamodb'
import { idempotency, jmespath } from 'lineclear/middy'
import { charge } from './payments.ts'

const store = dynamoDbStore({ tableName: 'lineclear' })

async function createPayment(event: APIGatewayProxyEvent) {
  const { cents } = JSON.parse(event.body ?? '{}') as { cents: number }
  return {
    statusCode: 201,
    body: JSON.stringify(await charge(cents, callerKey(event, 'charge'))),
  }
}

export const handler = middyjs(createPayment)
  .use(
    idempotency({
      store,
      name: 'payments-middy',
      key: jmespath('headers."idempotency-key"', { search }),
      // At least the time that middy's own early timeout keeps back.
      timeoutMargin: '1s',
      metrics: emfMetrics(),
    }),
  )
  .use(httpErrorHandler())
  .use(cors())
