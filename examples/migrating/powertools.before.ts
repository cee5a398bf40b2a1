import { IdempotencyConfig, makeIdempotent } from '@aws-lambda-powertools/idempotency'
import { DynamoDBPersistenceLayer } from '@aws-lambda-powertools/idempotency/dynamodb'
import type { APIGatewayProxyEvent, Context } from 'aws-lambda'
import { charge } from '../payments-api/payments.ts'

const persistenceStore = new DynamoDBPersistenceLayer({ tableName: 'idempotency' })
const config = new IdempotencyConfig({
  eventKeyJmesPath: 'headers."Idempotency-Key"',
  payloadValidationJmesPath: 'body',
  throwOnNoIdempotencyKey: true,
  expiresAfterSeconds: 24 * 60 * 60,
})

export const handler = makeIdempotent(
  async (event: APIGatewayProxyEvent, _context: Context) => {
    const { cents } = JSON.parse(event.body ?? '{}') as { cents: number }
    const receipt = await charge(cents, event.headers['Idempotency-Key'])
    return { statusCode: 201, body: JSON.stringify(receipt) }
  },
  { persistenceStore, config },
)
