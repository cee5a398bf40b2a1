import { SNSClient } from '@aws-sdk/client-sns'
import { SQSClient } from '@aws-sdk/client-sqs'
import type { SQSHandler } from 'aws-lambda'
import {
  atLeast,
  defineFlow,
  idempotent,
  newerThan,
  onceForever,
  recordHandler,
  sweepHandler,
} from 'lineclear'
import { dynamoDbStore, tableDefinition } from 'lineclear/dynamodb'
import { exploreCrashes, memoryCloud, memoryStore, sqsEvent } from 'lineclear/testing'
import { z } from 'zod'

interface Row {
  readonly status: string
  readonly note?: string
}

const store = dynamoDbStore({ tableName: 'lineclear' })
const row: Row = { status: 'new' }

export const handler: SQSHandler = recordHandler(
  { name: 'orders', store, clients: { sqs: new SQSClient({}), sns: new SNSClient({}) } },
  async (payload, ctx) => {
    const target = { TableName: 'orders', Key: { id: ctx.uniqueRequestId } }
    await ctx.write('new', { ...target, put: row, guard: newerThan('at', ctx.sentAt) })
    await ctx.write('sell', { ...target, add: { n: -1 }, guard: atLeast('n', 1) })
    const read = await ctx.get<Row>(target)
    const charge = await ctx.call('charge', ({ idempotencyKey }) => ({ idempotencyKey }))
    await ctx.send('https://sqs.eu-west-1.amazonaws.com/1/mail', { charge, read, payload })
    // @ts-expect-error put is a write of its own
    await ctx.write('both', { ...target, put: row, add: { n: 1 } })
  },
)

// @ts-expect-error store is missing
recordHandler({ name: 'orders' }, () => {})

export const flow: ReturnType<typeof flowOf> = flowOf()
function flowOf() {
  return defineFlow({
    name: 'trip',
    store: memoryStore(),
    key: ({ id }) => id,
    stages: { book: { schema: z.object({ id: z.string() }) } },
  })
}
export const charge: unknown = idempotent({ store, name: 'charge', key: () => 'k' }, async () => ({
  statusCode: 201,
}))
export const events: unknown = onceForever({ store, name: 'events' })
export const sweep: unknown = sweepHandler({ store })
export const definition: object = tableDefinition()
export const cloud: object = memoryCloud({ queues: { orders: {} } })
export const event: object = sqsEvent({ a: 1 })
export const explored: typeof exploreCrashes = exploreCrashes
