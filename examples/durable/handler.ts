import { InvokeCommand, LambdaClient } from '@aws-sdk/client-lambda'
import { Logger } from '@aws-lambda-powertools/logger'
import { emfMetrics, recordHandler } from 'lineclear'
import { dynamoDbStore } from 'lineclear/dynamodb'
import { z } from 'zod'

const Customer = z.object({ customerId: z.string() })
const lambda = new LambdaClient()

/**
 * Starts one execution of a durable function for each customer, however often the message comes. Behind a mapping of its own, the
 * durable function would begin a new execution with each delivery.
 */
export const handler = recordHandler(
  {
    name: 'customers',
    store: dynamoDbStore({ tableName: 'lineclear' }),
    schema: Customer,
    id: ({ customerId }) => customerId,
    logger: new Logger({ serviceName: 'customers' }),
    metrics: emfMetrics(),
  },
  async ({ customerId }, ctx) => {
    await ctx.call('start', async ({ idempotencyKey }) => {
      await lambda.send(
        new InvokeCommand({
          FunctionName: process.env['ONBOARD_FUNCTION'] ?? '',
          InvocationType: 'Event',
          // Lambda begins one execution for a name and a payload: nothing else of the message may be in it.
          DurableExecutionName: idempotencyKey,
          Payload: JSON.stringify({ customerId }),
        }),
      )
    })
  },
)
