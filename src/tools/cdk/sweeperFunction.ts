import { Lambda } from '@aws-sdk/client-lambda'
import { emfMetrics } from '../../library/features/metrics/emfMetrics.ts'
import { sweepHandler, type SweepReport } from '../../library/entries/sweeper/sweepHandler.ts'
import { dynamoDbStore } from '../../library/adapters/store/dynamodb/dynamoDbStore.ts'

/** The function of `LineclearSweeper`, which sets `LINECLEAR_TABLE`. */
export const handler: (event?: unknown, context?: unknown) => Promise<SweepReport> = sweepHandler({
  store: dynamoDbStore({ tableName: process.env['LINECLEAR_TABLE'] ?? '' }),
  metrics: emfMetrics(),
  lambda: new Lambda(),
})
