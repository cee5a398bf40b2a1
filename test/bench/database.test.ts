import {
  ConditionalCheckFailedException,
  GetItemCommand,
  PutItemCommand,
  ScanCommand,
} from '@aws-sdk/client-dynamodb'
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest'
import { type Database, startDatabase } from './database/startDatabase.ts'
import { clientOf } from './measure/counts.ts'

let database: Database
beforeAll(async () => {
  database = await startDatabase()
})
beforeEach(() => database.reset())
afterAll(() => database.stop())

const Key = { pk: { S: 'any' }, sk: { S: 'token' } }
const TableName = 'lineclear'

it('counts each call, and its bytes', async () => {
  const client = clientOf(database)
  await client.send(new GetItemCommand({ TableName, Key, ConsistentRead: true }))
  await client.send(new GetItemCommand({ TableName, Key }))
  const { requests, byOperation, readUnits, writeUnits, up, down } = database.counts()
  expect({ requests, byOperation, readUnits, writeUnits }).toEqual({
    requests: 2,
    byOperation: { GetItem: 2 },
    readUnits: 1.5,
    writeUnits: 0,
  })
  expect(up).toBeGreaterThan(300)
  expect(down).toBeGreaterThan(300)
})

it('charges a write that its condition refuses, too', async () => {
  const client = clientOf(database)
  const put = new PutItemCommand({
    TableName,
    Item: { ...Key, note: { S: 'x'.repeat(2_000) } },
    ConditionExpression: 'attribute_not_exists(pk)',
  })
  await client.send(put)
  await expect(client.send(put)).rejects.toThrow(ConditionalCheckFailedException)
  expect(database.counts()).toMatchObject({ requests: 2, writeUnits: 4, readUnits: 0 })
})

it('refuses to count what no peer should send', async () => {
  const scan = new ScanCommand({ TableName, FilterExpression: 'no expression' })
  await expect(clientOf(database).send(scan)).rejects.toThrow('FilterExpression')
  expect(() => database.counts()).toThrow('failed calls')
})
