import { ConditionalCheckFailedException } from '@aws-sdk/client-dynamodb'
import { SendMessageCommand } from '@aws-sdk/client-sqs'
import { DynamoDBDocumentClient, PutCommand } from '@aws-sdk/lib-dynamodb'
import type { SQSBatchResponse, SQSEvent } from 'aws-lambda'
import { dynamoDbStore, tableDefinition } from 'lineclear/dynamodb'
import { mapQueue, startLocalCloud } from 'lineclear/local'
import { sqsEvent, sqsRecord } from 'lineclear/testing'
import { expect, it } from 'vitest'
import { ordersBesideOld } from '../../../examples/migrating/besideOld.ts'
import { untilQuiet } from '../../../examples/quiet.ts'
import { lambdaContext } from '../../deliver/lambdaContext.ts'
import { quietLogger } from '../../deliver/quietLogger.ts'

/** Puts the order there, charges, says so. What is there already goes when it is charged, and stays on the queue until then. */
function oldConsumer(tables: DynamoDBDocumentClient, charge: (orderId: string) => Promise<void>) {
  const TableName = 'processed_events'
  const take = async (id: string): Promise<'taken' | 'charged' | 'begun'> => {
    try {
      const ConditionExpression = 'attribute_not_exists(id)'
      const ReturnValuesOnConditionCheckFailure = 'ALL_OLD'
      const Item = { id }
      await tables.send(
        new PutCommand({
          TableName,
          Item,
          ConditionExpression,
          ReturnValuesOnConditionCheckFailure,
        }),
      )
      return 'taken'
    } catch (error) {
      if (!(error instanceof ConditionalCheckFailedException)) throw error
      return error.Item?.['state']?.S === 'charged' ? 'charged' : 'begun'
    }
  }
  return async ({ Records }: SQSEvent): Promise<SQSBatchResponse> => {
    const batchItemFailures: { itemIdentifier: string }[] = []
    for (const { body, messageId: itemIdentifier } of Records) {
      const { orderId: id } = JSON.parse(body) as { orderId: string }
      const seen = await take(id)
      if (seen === 'begun') batchItemFailures.push({ itemIdentifier })
      if (seen !== 'taken') continue
      await charge(id)
      await tables.send(new PutCommand({ TableName, Item: { id, state: 'charged' } }))
    }
    return { batchItemFailures }
  }
}

it('an old consumer and its successor read one queue at once, with redeliveries: each order is charged once', async () => {
  await using cloud = await startLocalCloud(
    {
      queues: {
        orders: { visibilityTimeout: 3, deadLetter: { queue: 'dead', maxReceiveCount: 1_000 } },
        dead: {},
      },
      tables: { lineclear: tableDefinition(), processed_events: { hash: 'id' } },
    },
    { logger: quietLogger() },
  )
  const tables = DynamoDBDocumentClient.from(cloud.dynamodb)
  const charged = new Set<string>()
  const charge = async (orderId: string, key = 'old'): Promise<void> =>
    void charged.add(`${orderId} ${key}`)
  const store = dynamoDbStore({ tableName: 'lineclear', client: cloud.dynamodb })
  const queueUrl = cloud.queueUrl('orders')
  const given = { store, clients: { sqs: cloud.sqs }, logger: quietLogger(), queueUrl }
  const ids = Array.from({ length: 40 }, (_, nth) => `order-${nth}`)
  for (const orderId of [...ids, ...ids]) {
    const MessageBody = JSON.stringify({ orderId, cents: 500 })
    await cloud.sqs.send(new SendMessageCommand({ QueueUrl: queueUrl, MessageBody }))
  }
  // The old one is never killed: what it has begun then nobody may finish.
  const faults = { duplicate: 0.2, duplicateLater: 0.1, shuffle: true }
  const both = { cloud, queue: 'orders', logger: quietLogger(), batchSize: 2, faults }
  await using old = mapQueue({ ...both, handler: oldConsumer(tables, charge) })
  await using successor = mapQueue({
    ...both,
    faults: { ...faults, kill: 0.02, loseAnswer: 0.02 },
    handler: ordersBesideOld(given, tables, charge),
  })
  await untilQuiet([old, successor])
  const orders = [...charged].map((each) => each.split(' ')[0])
  expect(orders).toHaveLength(ids.length)
  expect(new Set(orders)).toEqual(new Set(ids))
  expect([...charged].some((each) => each.endsWith(' old'))).toBe(true)
  expect([...charged].every((each) => each.endsWith(' old'))).toBe(false)
  expect(cloud.inspectQueue('dead').ready).toEqual([])
})

it('an order that is charged here is dropped when Lineclear has forgotten it', async () => {
  await using cloud = await startLocalCloud(
    {
      queues: { orders: {} },
      tables: {
        lineclear: tableDefinition(),
        empty: tableDefinition({ tableName: 'empty' }),
        processed_events: { hash: 'id' },
      },
    },
    { logger: quietLogger() },
  )
  const charges: string[] = []
  const given = { clients: { sqs: cloud.sqs }, logger: quietLogger() }
  for (const tableName of ['lineclear', 'empty']) {
    const store = dynamoDbStore({ tableName, client: cloud.dynamodb })
    const handler = ordersBesideOld(
      { ...given, store, queueUrl: cloud.queueUrl('orders') },
      DynamoDBDocumentClient.from(cloud.dynamodb),
      async (orderId) => void charges.push(orderId),
    )
    const record = sqsRecord({ orderId: 'o1', cents: 500 }, { sentAt: Date.now() })
    expect(await handler(sqsEvent(record), lambdaContext())).toEqual({ batchItemFailures: [] })
  }
  expect(charges).toEqual(['o1'])
})
