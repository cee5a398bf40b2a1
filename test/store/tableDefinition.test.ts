import {
  CreateTableCommand,
  DescribeTableCommand,
  DescribeTimeToLiveCommand,
  PutItemCommand,
  QueryCommand,
  UpdateTimeToLiveCommand,
} from '@aws-sdk/client-dynamodb'
import { afterAll, beforeAll, expect, it } from 'vitest'
import {
  dynamoDbStore,
  tableDefinition,
  timeToLive,
} from '../../src/library/adapters/store/dynamodb/index.ts'
import { type Engine, startDynoxide } from './dynoxide.ts'

let engine: Engine
beforeAll(async () => {
  engine = await startDynoxide()
})
afterAll(() => engine.stop())

it('makes a table that the store works on, with its expiry', async () => {
  const client = engine.client()
  await client.send(new CreateTableCommand(tableDefinition()))
  await client.send(new UpdateTimeToLiveCommand(timeToLive()))
  const { Table } = await client.send(new DescribeTableCommand({ TableName: 'lineclear' }))
  expect(Table?.BillingModeSummary?.BillingMode).toBe('PAY_PER_REQUEST')
  const expiry = await client.send(new DescribeTimeToLiveCommand({ TableName: 'lineclear' }))
  expect(expiry.TimeToLiveDescription).toMatchObject({ AttributeName: 'ttl' })
  const item = { pk: 'a', sk: 'b', format: 1 }
  const store = dynamoDbStore({ tableName: 'lineclear', client })
  expect(await store.create([item])).toEqual([{ kind: 'applied', item }])
})

it('lists what is due by status, and only that', async () => {
  const client = engine.client()
  const TableName = 'named'
  await client.send(new CreateTableCommand(tableDefinition({ tableName: TableName })))
  const due = { statusShard: 'inProgress#1', dueAt: 5, status: 'inProgress', attempt: 2 }
  await dynamoDbStore({ tableName: TableName, client }).create([
    { pk: 'due', sk: 's', ...due, payloadHash: 'not in the index' },
    { pk: 'later', sk: 's', ...due, dueAt: 50 },
    { pk: 'done', sk: 's', status: 'done' },
  ])
  await client.send(new PutItemCommand({ TableName, Item: { pk: { S: 'x' }, sk: { S: 's' } } }))
  const { Items } = await client.send(
    new QueryCommand({
      TableName,
      IndexName: 'byStatus',
      KeyConditionExpression: '#shard = :shard AND #due <= :now',
      ExpressionAttributeNames: { '#shard': 'statusShard', '#due': 'dueAt' },
      ExpressionAttributeValues: { ':shard': { S: 'inProgress#1' }, ':now': { N: '10' } },
    }),
  )
  expect(Items).toHaveLength(1)
  expect(Items?.[0]).toEqual({
    pk: { S: 'due' },
    sk: { S: 's' },
    statusShard: { S: 'inProgress#1' },
    dueAt: { N: '5' },
    status: { S: 'inProgress' },
    attempt: { N: '2' },
  })
})

it('distinguishes an index attribute of another type from an outage', async () => {
  const client = engine.client()
  const store = dynamoDbStore({ tableName: 'lineclear', client })
  const outcomes = await store.create([{ pk: 'odd', sk: 's', statusShard: 'a#1', dueAt: 'soon' }])
  expect(outcomes).toMatchObject([{ kind: 'failed', error: { code: 'TERMINAL' } }])
})
