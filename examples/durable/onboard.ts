import { createRetryStrategy, withDurableExecution } from '@aws/durable-execution-sdk-js'
import { invocationHandler } from 'lineclear'
import { dynamoDbStore } from 'lineclear/dynamodb'

interface Opening {
  readonly execution: string
  readonly customerId: string
}

/** A step is run again if its sandbox dies before its result is stored: what it does has a key of its own. */
const openAccount = invocationHandler(
  {
    name: 'accounts',
    store: dynamoDbStore({ tableName: 'lineclear' }),
    key: ({ execution }: Opening) => execution,
  },
  async ({ customerId }, ctx) => {
    await ctx.write('open', {
      TableName: 'accounts',
      Key: { customerId },
      add: { opened: 1 },
    })
  },
)

/** Outlasts the lease of a call whose sandbox died: until it ends, the key is in progress. */
const retryStrategy = createRetryStrategy({ maxAttempts: 8, initialDelay: { seconds: 30 } })

/** `openAccount` is called within a step, not around the function: each replay of an execution would find its key in progress. */
export const handler = withDurableExecution(
  async ({ customerId }: { customerId: string }, context) => {
    const execution = context.executionContext.durableExecutionArn
    const open = () => openAccount({ execution, customerId }, context.lambdaContext)
    await context.step('open', open, { retryStrategy })
    await context.wait('cooling-off', { seconds: 1 })
    await context.step('welcome', async () => `welcome, ${customerId}`)
  },
)
