import { Lambda } from '@aws-sdk/client-lambda'
import { emfMetrics } from 'lineclear'
import { dynamoDbStore } from 'lineclear/dynamodb'
import { sweepHandler } from 'lineclear/operator'

export const handler = sweepHandler({
  store: dynamoDbStore({ tableName: process.env['LINECLEAR_TABLE'] ?? 'lineclear' }),
  metrics: emfMetrics(),
  lambda: new Lambda(),
})
