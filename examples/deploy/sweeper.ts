import { emfMetrics } from 'lineclear'
import { dynamoDbStore } from 'lineclear/dynamodb'
import { sweepHandler } from 'lineclear/operator'

export const handler = sweepHandler({
  store: dynamoDbStore({ tableName: 'lineclear' }),
  metrics: emfMetrics(),
})
