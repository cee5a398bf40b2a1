import { PutItemCommand } from '@aws-sdk/client-dynamodb'
import { ReceiveMessageCommand, SendMessageCommand } from '@aws-sdk/client-sqs'
import { tableDefinition } from 'lineclear/dynamodb'
import { mapQueue, startLocalCloud } from 'lineclear/local'
import { expect, it, vi } from 'vitest'
import { untilQuiet } from '../../../examples/quiet.ts'
import { rowsOf } from '../../../examples/rows.ts'

it('limited-stock: sells no more than the stock, and reserves once for an order that is delivered twice', async () => {
  vi.spyOn(console, 'log').mockImplementation(() => {})
  await using cloud = await startLocalCloud({
    queues: { reservations: {}, answers: {} },
    tables: { lineclear: tableDefinition(), stock: { hash: 'sku' } },
  })
  const answers = cloud.queueUrl('answers')
  Object.assign(process.env, cloud.environment, { ANSWERS_QUEUE: answers })
  const Item = { sku: { S: 'apple' }, available: { N: '7' } }
  await cloud.dynamodb.send(new PutItemCommand({ TableName: 'stock', Item }))
  const { handler } = await import('../../../examples/limited-stock/handler.ts')
  for (const number of [1, 2, 3, 4, 5, 1, 2, 3, 4, 5]) {
    const QueueUrl = cloud.queueUrl('reservations')
    const MessageBody = JSON.stringify({ orderId: `o${number}`, sku: 'apple', quantity: 2 })
    await cloud.sqs.send(new SendMessageCommand({ QueueUrl, MessageBody }))
  }
  await using mapping = mapQueue({ cloud, queue: 'reservations', handler })
  await untilQuiet([mapping])

  expect(await rowsOf(cloud, 'stock')).toMatchObject([{ sku: 'apple', available: 1 }])
  const receive = new ReceiveMessageCommand({ QueueUrl: answers, MaxNumberOfMessages: 10 })
  const { Messages = [] } = await cloud.sqs.send(receive)
  const bodies = Messages.map(({ Body = '' }) => Body)
  expect(bodies.filter((body) => body.includes('reserved'))).toHaveLength(3)
  expect(bodies.filter((body) => body.includes('sold out'))).toHaveLength(2)
})

it('limited-stock: stock that is refilled after "sold out" was sent does not change the answer', async () => {
  vi.resetModules()
  vi.spyOn(console, 'log').mockImplementation(() => {})
  await using cloud = await startLocalCloud({
    queues: { reservations: { visibilityTimeout: 6 }, answers: {} },
    tables: { lineclear: tableDefinition(), stock: { hash: 'sku' } },
  })
  const [QueueUrl, answers] = [cloud.queueUrl('reservations'), cloud.queueUrl('answers')]
  Object.assign(process.env, cloud.environment, { ANSWERS_QUEUE: answers })
  const stockUp = (available: string) =>
    cloud.dynamodb.send(
      new PutItemCommand({
        TableName: 'stock',
        Item: { sku: { S: 'apple' }, available: { N: available } },
      }),
    )
  await stockUp('1')
  vi.doMock(import('lineclear/dynamodb'), async (original) => {
    const actual = await original()
    const client = cloud.dynamodb
    return { ...actual, dynamoDbStore: (of) => actual.dynamoDbStore({ ...of, client }) }
  })
  const { handler } = await import('../../../examples/limited-stock/handler.ts')
  const MessageBody = JSON.stringify({ orderId: 'o1', sku: 'apple', quantity: 2 })
  await cloud.sqs.send(new SendMessageCommand({ QueueUrl, MessageBody }))
  // Its calls on the table are: claim, refused reservation, stored answer, end. Before the end the message was sent.
  const at = [{ invocation: 1, call: 4, fault: 'killBefore' }] as const
  await using mapping = mapQueue({
    cloud,
    queue: 'reservations',
    handler,
    faults: { at },
    // On a busy machine the four calls take more than a second, and a timeout would come before the kill.
    functionTimeout: 5_000,
  })
  await vi.waitUntil(() => mapping.counts.kills === 1, 300_000)
  await stockUp('7')
  await untilQuiet([mapping])

  const receive = new ReceiveMessageCommand({ QueueUrl: answers, MaxNumberOfMessages: 10 })
  const { Messages = [] } = await cloud.sqs.send(receive)
  const soldOut = JSON.stringify({ orderId: 'o1', answer: 'sold out' })
  expect(Messages.map(({ Body }) => Body)).toEqual([soldOut, soldOut])
  expect(await rowsOf(cloud, 'stock')).toMatchObject([{ sku: 'apple', available: 7 }])
})
