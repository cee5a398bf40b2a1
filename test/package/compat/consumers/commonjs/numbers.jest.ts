import { rejects, strictEqual, throws } from 'node:assert'
import { GetItemCommand } from '@aws-sdk/client-dynamodb'
import { SendMessageCommand, SQSClient } from '@aws-sdk/client-sqs'
import { ConfigError, recordHandler, RetryableError } from 'lineclear'
import { dynamoDbStore, tableDefinition } from 'lineclear/dynamodb'
import { joinLocalCloud, mapQueue, startLocalCloud } from 'lineclear/local'
import { memoryCloud } from 'lineclear/testing'
import { z } from 'zod'

declare const test: (name: string, work: () => unknown, timeout?: number) => void

const UNICODE = 'beyond U+FFFF: \u{1F600}'

test('results come back as they were, of the classes of this realm', async () => {
  const { send, drain, queueUrl: _, ...cloud } = memoryCloud({ queues: { orders: {} } })
  const { store, clients, clock, logger } = cloud
  const results: unknown[] = []
  const orders = recordHandler(
    { name: 'orders', store, clients, clock, logger },
    async (_, ctx) => {
      const result = await ctx.call('ask', () => new Map([['at', new Set([new Date(5)])]]))
      results.push(result instanceof Map && [...(result.get('at') ?? [])][0] instanceof Date)
      if (ctx.attempt === 1) throw new RetryableError('once more')
    },
  )
  send('orders', {})
  await drain({ orders })
  strictEqual(results.join(), 'true,true')
})

test('errors are of the classes that the package exports', async () => {
  throws(() => memoryCloud({ queue: {} } as never), ConfigError)
  await rejects(startLocalCloud({ queues: { numbers: {} } }), /start the cloud in globalSetup/)
})

test('a local cloud that was started before can be joined', async () => {
  const cloud = await joinLocalCloud({
    queues: { numbers: { visibilityTimeout: 3 } },
    tables: { lineclear: tableDefinition(), counts: { hash: 'id' } },
  })
  await cloud.instrumentAll(__filename)
  const [queueUrl, Key] = [cloud.queueUrl('numbers'), { id: { S: UNICODE } }]
  const store = dynamoDbStore({ tableName: 'lineclear' })
  const schema = z.object({ id: z.string() })
  const handler = recordHandler(
    { name: 'counter', store, schema, queueUrl },
    async ({ id }, ctx) => {
      await ctx.write('count', { TableName: 'counts', Key: { id }, add: { n: 1 } })
    },
  )
  for (let n = 0; n < 5; n++) {
    const MessageBody = JSON.stringify({ id: UNICODE, n })
    await new SQSClient().send(new SendMessageCommand({ QueueUrl: queueUrl, MessageBody }))
  }
  const faults = { seed: 1, kill: 0.05, loseAnswer: 0.1, duplicate: 0.1 }
  const mapping = mapQueue({ cloud, queue: 'numbers', handler, faults, functionTimeout: 500 })
  await mapping.drained({ timeout: '60s' })
  const { Item } = await cloud.dynamodb.send(new GetItemCommand({ TableName: 'counts', Key }))
  strictEqual(Item?.['n']?.N, '5')
  await cloud.stop()
}, 60_000)
