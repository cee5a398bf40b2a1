import { Logger } from '@aws-lambda-powertools/logger'
import { Lambda } from '@aws-sdk/client-lambda'
import { emfMetrics } from 'lineclear'
import { dynamoDbStore } from 'lineclear/dynamodb'
import { sweepHandler } from 'lineclear/operator'

export const handler = sweepHandler({
  store: dynamoDbStore({ tableName: 'lineclear' }),
  logger: new Logger({ serviceName: 'sweeper' }),
  metrics: emfMetrics(),
  lambda: new Lambda(),
})
