import { Lambda } from '@aws-sdk/client-lambda'
import { emfMetrics } from '../../features/metrics/emfMetrics.ts'
import { sweepHandler, type SweepReport } from '../../sweeper/sweepHandler.ts'
import { dynamoDbStore } from '../../store/dynamodb/dynamoDbStore.ts'

/** The function of `LineclearSweeper`, which sets `LINECLEAR_TABLE`. */
export const handler: (event?: unknown, context?: unknown) => Promise<SweepReport> = sweepHandler({
  store: dynamoDbStore({ tableName: process.env['LINECLEAR_TABLE'] ?? '' }),
  metrics: emfMetrics(),
  lambda: new Lambda(),
})
