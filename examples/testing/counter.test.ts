import { GetItemCommand } from '@aws-sdk/client-dynamodb'
import { SendMessageCommand } from '@aws-sdk/client-sqs'
import type { Context } from 'aws-lambda'
import { recordHandler } from 'lineclear'
import { dynamoDbStore, tableDefinition } from 'lineclear/dynamodb'
import { mapQueue, startLocalCloud } from 'lineclear/local'
import { memoryStore, sqsEvent } from 'lineclear/testing'
import { expect, it } from 'vitest'

it('counts a batch and its redelivery once, in memory', async () => {
  const store = memoryStore()
  const handler = recordHandler({ name: 'counter', store }, async (_, ctx) => {
    await ctx.write('count', { TableName: 'counts', Key: { id: 'all' }, add: { n: 1 } })
  })
  const event = sqsEvent({ a: 1 }, { a: 2 })
  await handler(event, {} as Context)
  await handler(event, {} as Context)
  expect(store.userItems('counts')).toEqual([{ id: 'all', n: 2 }])
})

it('counts once on the local cloud, with functions killed and answers lost', async () => {
  await using cloud = await startLocalCloud({
    queues: { numbers: { visibilityTimeout: 3 } },
    tables: { lineclear: tableDefinition(), counts: { hash: 'id' } },
  })
  const [queueUrl, Key] = [cloud.queueUrl('numbers'), { id: { S: 'all' } }]
  const store = dynamoDbStore({ tableName: 'lineclear', client: cloud.dynamodb })
  const handler = recordHandler(
    { name: 'counter', store, clients: { sqs: cloud.sqs }, queueUrl },
    async (_, ctx) => {
      await ctx.write('count', { TableName: 'counts', Key: { id: 'all' }, add: { n: 1 } })
    },
  )
  for (let n = 0; n < 20; n++) {
    await cloud.sqs.send(new SendMessageCommand({ QueueUrl: queueUrl, MessageBody: `{"n":${n}}` }))
  }
  const faults = { seed: 1, kill: 0.05, loseAnswer: 0.1, duplicate: 0.1 }
  const mapping = mapQueue({ cloud, queue: 'numbers', handler, faults, functionTimeout: 500 })
  await mapping.drained({ timeout: '60s' })
  const { Item } = await cloud.dynamodb.send(new GetItemCommand({ TableName: 'counts', Key }))
  expect(Item?.['n']?.N).toBe('20')
}, 60_000)
