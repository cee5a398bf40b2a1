import { Logger } from '@aws-lambda-powertools/logger'
import type { APIGatewayProxyEventV2, Context } from 'aws-lambda'
import { emfMetrics, onceForever } from 'lineclear'
import { dynamoDbStore } from 'lineclear/dynamodb'
import { z } from 'zod'
import { verify } from './signature.ts'

const Callback = z.object({ transactionId: z.string(), cents: z.number() })
const logger = new Logger({ serviceName: 'callbacks' })
const callbacks = onceForever({
  store: dynamoDbStore({ tableName: 'lineclear' }),
  name: 'callbacks',
  logger,
  metrics: emfMetrics(),
})

export const handler = async (event: APIGatewayProxyEventV2, context: Context) => {
  logger.addContext(context)
  const { body, refused } = verify(event, process.env['WEBHOOK_SECRETS'])
  if (body === undefined) {
    logger.warn('a callback was refused', { refused })
    return { statusCode: 401 }
  }
  // A replay has the id of its first call: it is acknowledged, and nothing happens a second time.
  const callback = Callback.parse(JSON.parse(body))
  const queueUrl = process.env['CALLBACKS_QUEUE'] ?? ''
  await callbacks.thenEnqueue(callback.transactionId, callback, { queueUrl })
  return { statusCode: 202 }
}
