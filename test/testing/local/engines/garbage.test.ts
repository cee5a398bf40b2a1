import { afterAll, beforeAll, expect, it } from 'vitest'
import { type Engine, startTypeScript } from '../../../store/dynoxide.ts'
import { type Answer, send } from './call.ts'
import { tableInput } from './steps.ts'

let engine: Engine
beforeAll(async () => {
  engine = await startTypeScript()
  await send(engine.endpoint, 'CreateTable', { ...tableInput, TableName })
})
afterAll(() => engine.stop())

const TableName = 'items'
const Key = { pk: { S: 'p' }, sk: { N: '1' } }
const Parameters = [Key.pk, Key.sk]
const Statement = `DELETE FROM "${TableName}" WHERE "pk"=? AND "sk"=?`
const LOCAL = {
  IndexName: 'byN',
  KeySchema: tableInput.KeySchema,
  Projection: { ProjectionType: 'ALL' },
}

const REQUESTS: Readonly<Record<string, object>> = {
  PutItem: {
    TableName,
    Item: {
      ...Key,
      l: { L: [{ S: 'x' }] },
      m: { M: { x: { N: '1' } } },
      b: { BOOL: true },
      z: { NULL: true },
    },
    ConditionExpression: '#a <> :v',
    ExpressionAttributeNames: { '#a': 'a' },
    ExpressionAttributeValues: { ':v': { SS: ['x'] } },
    ReturnValues: 'ALL_OLD',
  },
  UpdateItem: {
    TableName,
    Key,
    UpdateExpression: 'SET a = :v',
    ExpressionAttributeValues: { ':v': { S: 'x' } },
  },
  DeleteItem: { TableName, Key },
  GetItem: { TableName, Key, ConsistentRead: true, ProjectionExpression: 'a' },
  BatchGetItem: { RequestItems: { [TableName]: { Keys: [Key] } } },
  BatchWriteItem: { RequestItems: { [TableName]: [{ PutRequest: { Item: Key } }] } },
  Query: {
    TableName,
    KeyConditionExpression: 'pk = :p',
    ExpressionAttributeValues: { ':p': { S: 'p' } },
    ScanIndexForward: true,
  },
  Scan: { TableName, Limit: 2, Segment: 0, TotalSegments: 2, ExclusiveStartKey: Key },
  TransactWriteItems: { TransactItems: [{ Put: { TableName, Item: Key } }] },
  TransactGetItems: { TransactItems: [{ Get: { TableName, Key } }] },
  BatchExecuteStatement: { Statements: [{ Statement, Parameters }] },
  ExecuteStatement: { Statement, Parameters },
  CreateTable: { ...tableInput, TableName, LocalSecondaryIndexes: [LOCAL] },
  DescribeTable: { TableName },
  ListTables: { Limit: 3 },
  UpdateTimeToLive: { TableName, TimeToLiveSpecification: { Enabled: true, AttributeName: 'ttl' } },
}

const GARBAGE = [null, 7, -1.5, 'text', '', true, [], [1], [null], {}, { x: 1 }, { x: null }]

/** The request with garbage in the place of each of its values. */
function* spoiled(value: unknown): Generator {
  yield* GARBAGE
  if (typeof value !== 'object' || value === null) return
  for (const [name, member] of Object.entries(value)) {
    for (const wrong of spoiled(member)) {
      yield Array.isArray(value) ? value.with(Number(name), wrong) : { ...value, [name]: wrong }
    }
  }
}

it.each(Object.entries(REQUESTS))('%s answers garbage with 400', async (operation, request) => {
  const failed: unknown[] = []
  let refused = 0
  for (const wrong of spoiled(request)) {
    const { status } = await send(engine.endpoint, operation, wrong as object)
    if (status === 400) refused += 1
    else if (status !== 200) failed.push(wrong)
  }
  expect(failed).toEqual([])
  expect(refused).toBeGreaterThan(10)
})

/** As the native engine and AWS do. */
it.each([
  ['GetItem', { TableName: 7, Key }, 'SerializationException'],
  ['GetItem', { TableName, Key: [] }, 'SerializationException'],
  ['GetItem', { TableName, Key: { ...Key, pk: { S: 1 } } }, 'SerializationException'],
  ['PutItem', { TableName, Item: { ...Key, b: { BOOL: 'yes' } } }, 'SerializationException'],
  ['Query', { TableName, KeyConditionExpression: {} }, 'SerializationException'],
  ['TransactWriteItems', { TransactItems: 'text' }, 'SerializationException'],
  ['TransactWriteItems', { TransactItems: [null] }, 'ValidationException'],
  ['UpdateItem', { TableName, Key, ReturnValues: 'SOME' }, 'ValidationException'],
])('%s of %j: %s', async (operation, request, type) => {
  const answer: Answer = await send(engine.endpoint, operation, request)
  expect([answer.status, String(answer['__type']).split('#').at(-1)]).toEqual([400, type])
})
