import { Logger } from '@aws-lambda-powertools/logger'
import { emfMetrics, recordHandler } from 'lineclear'
import { dynamoDbStore } from 'lineclear/dynamodb'
import { z } from 'zod'

const Callback = z.object({ transactionId: z.string(), cents: z.number() })
const store = dynamoDbStore({ tableName: 'lineclear' })

export const handler = recordHandler(
  {
    name: 'ledger',
    store,
    schema: Callback,
    logger: new Logger({ serviceName: 'ledger' }),
    metrics: emfMetrics(),
  },
  async ({ cents }, ctx) => {
    const book = { TableName: 'ledger', Key: { id: 'total' }, add: { cents, entries: 1 } }
    await ctx.write('book', book)
  },
)
