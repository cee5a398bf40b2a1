import { Lambda } from '@aws-sdk/client-lambda'
import { emfMetrics, sweepHandler } from 'lineclear'
import { dynamoDbStore } from 'lineclear/dynamodb'

export const handler = sweepHandler({
  store: dynamoDbStore({ tableName: process.env['LINECLEAR_TABLE'] ?? 'lineclear' }),
  metrics: emfMetrics(),
  lambda: new Lambda(),
})
