import { emfMetrics, invocationHandler } from 'lineclear'
import { dynamoDbStore } from 'lineclear/dynamodb'

/** The input of the schedule. EventBridge Scheduler puts its ARN and the time that is due into the placeholders. */
interface Night {
  readonly schedule: string
  readonly at: string
}

const store = dynamoDbStore({ tableName: 'lineclear' })

/** Settles a night once and tells the ledger once, however often Scheduler and Lambda deliver it. */
export const handler = invocationHandler(
  {
    name: 'settlement',
    store,
    key: ({ schedule, at }: Night) => [schedule, at],
    metrics: emfMetrics(),
  },
  async ({ at }, ctx) => {
    const night = at.slice(0, 10)
    // What is read may be another sum in the next attempt, so the first one is stored.
    const cents = await ctx.call('sum', async () => {
      const sales = await ctx.get<{ cents: number }>({ TableName: 'sales', Key: { id: night } })
      return sales?.cents ?? 0
    })
    const settled = { TableName: 'sales', Key: { id: 'settled' }, add: { nights: 1, cents } }
    await ctx.write('settle', settled)
    const transactionId = `settlement-${night}`
    await ctx.send(process.env['LEDGER_QUEUE'] ?? '', { transactionId, cents })
    return { night, cents }
  },
)
