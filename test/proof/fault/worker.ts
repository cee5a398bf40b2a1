import { DynamoDBClient } from '@aws-sdk/client-dynamodb'
import { SQSClient } from '@aws-sdk/client-sqs'
import { recordHandler } from 'lineclear'
import { dynamoDbStore } from 'lineclear/dynamodb'
import { runWorker } from 'lineclear/worker'
import { quietLogger } from '../../deliver/quietLogger.ts'
import { Booking } from './ledger.ts'

/** A consumer in a process of its own, to be killed for real. Endpoints and credentials come from the environment. */
const queueUrl = process.argv[2] ?? ''
const sqs = new SQSClient()
const store = dynamoDbStore({ tableName: 'lineclear', client: new DynamoDBClient() })
const handler = recordHandler(
  {
    name: 'killed',
    store,
    clients: { sqs },
    queueUrl,
    schema: Booking,
    id: ({ id }) => id,
    logger: quietLogger(),
    retry: { maxAttempts: 50 },
  },
  async ({ id, amount }, ctx) => {
    await ctx.write('debit', { TableName: 'sums', Key: { id: `debit ${id}` }, add: { amount } })
    await new Promise((resolve) => setTimeout(resolve, 5))
    await ctx.write('credit', {
      TableName: 'sums',
      Key: { id: `credit ${id}` },
      add: { amount },
    })
  },
)
process.stdout.write('ready\n')
await runWorker({ queueUrl, handler, sqs, functionTimeout: 1_000, logger: quietLogger() })
