import type { APIGatewayProxyEvent, Context } from 'aws-lambda'
import { callerKey, idempotent } from 'lineclear'
import { dynamoDbStore } from 'lineclear/dynamodb'
import { charge } from '../payments-api/payments.ts'

const store = dynamoDbStore({ tableName: 'lineclear' })

export const handler = idempotent(
  { store, name: 'payments' },
  async (event: APIGatewayProxyEvent, _context: Context) => {
    const { cents } = JSON.parse(event.body ?? '{}') as { cents: number }
    // The key is made of caller and Idempotency-Key: two callers may choose the same one.
    const receipt = await charge(cents, callerKey(event, 'charge'))
    return { statusCode: 201, body: JSON.stringify(receipt) }
  },
)
