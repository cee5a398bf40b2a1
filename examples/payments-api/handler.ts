import type { APIGatewayProxyEvent, APIGatewayProxyEventV2, Context } from 'aws-lambda'
import { callerKey, emfMetrics, idempotent } from 'lineclear'
import { dynamoDbStore } from 'lineclear/dynamodb'
import { z } from 'zod'
import { charge } from './payments.ts'

const Payment = z.object({ cents: z.number().int().positive() })
const store = dynamoDbStore({ tableName: 'lineclear' })

export const handler = idempotent(
  // Callers are distinguished by the API's authorizer; without one `tenant` is required.
  { store, name: 'payments', waitForOther: '5s', metrics: emfMetrics() },
  async (event: APIGatewayProxyEvent | APIGatewayProxyEventV2, _context: Context) => {
    const payment = Payment.safeParse(JSON.parse(event.body ?? 'null'))
    if (!payment.success) return { statusCode: 400, body: z.prettifyError(payment.error) }
    // An invocation that crashes after the charge is repeated: the provider has to recognise the same key.
    const receipt = await charge(payment.data.cents, callerKey(event, 'charge'))
    return { statusCode: 201, body: JSON.stringify(receipt) }
  },
)
