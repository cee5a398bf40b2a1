import type { APIGatewayProxyEventV2 } from 'aws-lambda'
import { onceForever } from 'lineclear'
import { dynamoDbStore } from 'lineclear/dynamodb'
import { z } from 'zod'

const Callback = z.object({ transactionId: z.string(), cents: z.number() })
const callbacks = onceForever(dynamoDbStore({ tableName: 'lineclear' }), { scope: 'callbacks' })

export const handler = async (event: APIGatewayProxyEventV2) => {
  const callback = Callback.parse(JSON.parse(event.body ?? 'null'))
  const queueUrl = process.env['CALLBACKS_QUEUE'] ?? ''
  await callbacks.thenEnqueue(callback.transactionId, callback, { queueUrl })
  return { statusCode: 202 }
}
