import type { APIGatewayProxyEvent, Context } from 'aws-lambda'
import { idempotencyKeyHeader, idempotent } from 'lineclear'
import { dynamoDbStore } from 'lineclear/dynamodb'
import { charge } from '../payments-api/payments.ts'

const store = dynamoDbStore({ tableName: 'lineclear' })

export const handler = idempotent(
  { store, scope: 'payments' },
  async (event: APIGatewayProxyEvent, _context: Context) => {
    const { cents } = JSON.parse(event.body ?? '{}') as { cents: number }
    const receipt = await charge(cents, idempotencyKeyHeader(event, 'required'))
    return { statusCode: 201, body: JSON.stringify(receipt) }
  },
)
