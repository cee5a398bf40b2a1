import { SendMessageCommand } from '@aws-sdk/client-sqs'
import { recordHandler } from 'lineclear'
import { dynamoDbStore, tableDefinition } from 'lineclear/dynamodb'
import { type LocalEvent, mapQueue, startLocalCloud } from 'lineclear/local'
import { expect, it } from 'vitest'

it('shows what a consumer does when the answer to an effect is lost', async () => {
  await using cloud = await startLocalCloud({
    queues: { numbers: { visibilityTimeout: 3 } },
    tables: { lineclear: tableDefinition(), counts: { hash: 'id' } },
  })
  const store = dynamoDbStore({ tableName: 'lineclear', client: cloud.dynamodb })
  const handler = recordHandler(
    { name: 'counter', store, clients: { sqs: cloud.sqs }, id: (payload) => String(payload) },
    async (_, ctx) => {
      await ctx.write('count', { TableName: 'counts', Key: { id: 'all' }, add: { n: 1 } })
    },
  )
  const calls: string[] = []
  const observe = (event: LocalEvent): void => {
    if (event.type === 'call') calls.push(`${event.words}: ${event.outcome}`)
  }
  const mapping = mapQueue({ cloud, queue: 'numbers', handler, observe, functionTimeout: 500 })
  mapping.faultNextCall('loseAnswer', { effect: 'count', request: '7' })
  const message = { QueueUrl: cloud.queueUrl('numbers'), MessageBody: '7' }
  await cloud.sqs.send(new SendMessageCommand(message))
  await mapping.drained()
  expect(calls).toEqual([
    'claims counter/7: ended',
    'effect count of counter/7: updates counts id=all: failed',
    'effect count of counter/7: updates counts id=all: ended',
    'completes counter/7: ended',
  ])
})
