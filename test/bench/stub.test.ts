import { CreateTableCommand } from '@aws-sdk/client-dynamodb'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { tableDefinition } from 'lineclear/dynamodb'
import { type Engine, startDynoxide } from '../store/dynoxide.ts'
import { startStub, type Stub } from './stub/server.ts'

let stub: Stub
let engine: Engine

beforeAll(async () => {
  ;[stub, engine] = await Promise.all([startStub(), startDynoxide()])
  await engine.client().send(new CreateTableCommand(tableDefinition({ tableName: 'lineclear' })))
})

afterAll(() => Promise.all([stub.stop(), engine.stop()]))

interface Call {
  readonly what: string
  readonly operation: string
  readonly request: object
  /** What a refused write is charged, which the engine does not report. */
  readonly units?: number
}

const INDEXED = { statusShard: { S: 'error#1' }, dueAt: { N: '-1200.5' }, status: { S: 'error' } }

/** In this order: each finds what those before it have left. */
const CALLS: readonly Call[] = [
  put('a new item', 'a', { status: { S: 'inProgress' }, fence: { N: '1' }, done: { BOOL: false } }),
  put('a new item of 2 KB in the index', 'b', { note: { S: 'é'.repeat(1_000) }, ...INDEXED }),
  put('an item that is there', 'b', {}, 3),
  put('an item of 3 KB where a small one is', 'a', { note: { S: 'x'.repeat(3_000) } }, 3),
  update('an index key that changes', 'b', 'SET dueAt = :a', { ':a': { N: '7' } }),
  update('what the index does not hold', 'b', 'SET fence = :a', { ':a': { N: '7' } }),
  update('what the index holds', 'b', 'SET lockedBy = :a', { ':a': { S: 'me' } }),
  update('an index key that goes', 'b', 'REMOVE statusShard, dueAt'),
  update(
    'a condition that holds',
    'a',
    'SET #f = :b REMOVE done',
    { ':a': { N: '1' }, ':b': { N: '2' } },
    '#f = :a AND attribute_exists(done)',
  ),
  {
    ...update(
      'a condition that does not hold',
      'a',
      'SET #f = :b',
      { ':a': { N: '1' }, ':b': { N: '3' } },
      '#f < :a OR (attribute_not_exists(pk) AND #f = :b)',
    ),
    units: 1,
  },
  get('an item of 2 KB', 'b', false),
  get('the same, consistently', 'b', true),
  get('what is not there', 'z', false),
  {
    what: 'some of several',
    operation: 'BatchGetItem',
    request: {
      RequestItems: { lineclear: { Keys: [keyOf('a'), keyOf('z')], ConsistentRead: true } },
    },
  },
  statements('new and known', insert('c'), insert('a'), insert('d')),
  statements('a fence that holds, and one that does not', settle('c', 'c'), settle('d', 'other')),
  get('what a statement has left', 'c', false),
  statements('one that holds and asks for the item, and one that does not', ask('c'), ask('z')),
  update('a set that begins', 'd', 'ADD applied :a', { ':a': { SS: ['x'] } }),
  update(
    'a member that the set lacks',
    'd',
    'SET fence = :b ADD applied :a',
    { ':a': { SS: ['y'] }, ':b': { N: '1' }, ':y': { S: 'y' } },
    'NOT contains(applied, :y) AND (attribute_not_exists(#f) OR #f <> :b)',
  ),
  get('what has become of the set', 'd', false),
  transaction('all hold', 'd', 'stays', ['c']),
  { ...transaction('one does not hold', 'd', 'gone', ['b']), units: 10 },
  get('what a transaction has left', 'd', false),
]

it.each(CALLS)('$operation: $what: answers and charges as another engine does', async (call) => {
  stub.startCounting()
  const [ours, theirs] = await Promise.all([send(stub.endpoint, call), send(engine.endpoint, call)])
  expect(ours.answer).toEqual(theirs.answer)
  const { writeUnits, readUnits } = stub.counts()
  expect(writeUnits + readUnits).toBe(call.units ?? theirs.units)
})

/** Only AWS and the stub read `set_add`. */
it('adds a member to a set in a statement, once', async () => {
  const call = statements('a member twice', note('d', 'z'), note('d', 'z'))
  stub.startCounting()
  const { answer } = await send(stub.endpoint, call)
  const refused = { Error: { Code: 'ConditionalCheckFailed' } }
  expect(answer).toEqual({ status: 200, Responses: [{}, refused] })
  expect(stub.counts().writeUnits).toBe(2)
})

it('counts each call, and its bytes', async () => {
  stub.startCounting()
  await send(stub.endpoint, get('any', 'a', false))
  await send(stub.endpoint, get('any', 'a', false))
  const { requests, byOperation, up, down } = stub.counts()
  expect({ requests, byOperation }).toEqual({ requests: 2, byOperation: { GetItem: 2 } })
  expect(up).toBeGreaterThan(300)
  expect(down).toBeGreaterThan(300)
})

it('refuses to count what it could not read', async () => {
  await send(stub.endpoint, { what: '', operation: 'Scan', request: {} })
  expect(() => stub.counts()).toThrow('failed calls')
  stub.reset()
})

function keyOf(pk: string): object {
  return { pk: { S: pk }, sk: { S: 'token' } }
}

function put(what: string, pk: string, attributes: object, units?: number): Call {
  const request = {
    TableName: 'lineclear',
    Item: { ...keyOf(pk), ...attributes },
    ConditionExpression: 'attribute_not_exists(pk)',
    ReturnValuesOnConditionCheckFailure: 'ALL_OLD',
  }
  return { what, operation: 'PutItem', request, ...(units !== undefined && { units }) }
}

function update(
  what: string,
  pk: string,
  UpdateExpression: string,
  ExpressionAttributeValues?: object,
  ConditionExpression?: string,
): Call {
  const names = ConditionExpression === undefined ? undefined : { '#f': 'fence' }
  const request = {
    TableName: 'lineclear',
    Key: keyOf(pk),
    UpdateExpression,
    ConditionExpression,
    ExpressionAttributeValues,
    ExpressionAttributeNames: names,
    ReturnValues: 'ALL_NEW',
  }
  return { what, operation: 'UpdateItem', request }
}

function get(what: string, pk: string, ConsistentRead: boolean): Call {
  return {
    what,
    operation: 'GetItem',
    request: { TableName: 'lineclear', Key: keyOf(pk), ConsistentRead },
  }
}

function statements(what: string, ...Statements: readonly object[]): Call {
  return { what, operation: 'BatchExecuteStatement', request: { Statements } }
}

function insert(pk: string): object {
  const Statement = `INSERT INTO "lineclear" VALUE {'pk':?,'sk':?,'attemptId':?}`
  return { Statement, Parameters: [{ S: pk }, { S: 'token' }, { S: pk }] }
}

function settle(pk: string, attemptId: string): object {
  const where = '"pk"=? AND "sk"=? AND "attemptId" = ? AND "ttl" IS MISSING'
  return {
    Statement: `UPDATE "lineclear" SET "ttl"=? REMOVE "status" WHERE ${where}`,
    Parameters: [{ N: '9' }, { S: pk }, { S: 'token' }, { S: attemptId }],
  }
}

/** One SET, because the engine reads no more in the form of AWS. */
function ask(pk: string): object {
  const where = '"pk"=? AND "sk"=? AND "asked" IS MISSING'
  return {
    Statement: `UPDATE "lineclear" SET "asked"=? WHERE ${where} RETURNING ALL NEW *`,
    Parameters: [{ BOOL: true }, { S: pk }, { S: 'token' }],
  }
}

function note(pk: string, member: string): object {
  const where = '"pk"=? AND "sk"=? AND NOT contains("applied", ?)'
  return {
    Statement: `UPDATE "lineclear" SET "applied"=set_add("applied", ?) WHERE ${where}`,
    Parameters: [{ SS: [member] }, { S: pk }, { S: 'token' }, { S: member }],
  }
}

/** Changes one item into the index, puts a new one, deletes others, and checks that the last is there. */
function transaction(what: string, pk: string, added: string, deleted: readonly string[]): Call {
  const TableName = 'lineclear'
  const Update = {
    TableName,
    Key: keyOf(pk),
    UpdateExpression: 'SET statusShard = :s, dueAt = :d',
    ExpressionAttributeValues: { ':s': { S: `${added}#1` }, ':d': { N: '5' } },
  }
  const Put = { TableName, Item: { ...keyOf(added), fence: { N: '1' } } }
  const condition = { ConditionExpression: 'attribute_exists(attemptId)' }
  const TransactItems = [
    { Update },
    { Put },
    ...deleted.map((each) => ({ Delete: { TableName, Key: keyOf(each), ...condition } })),
    { ConditionCheck: { TableName, Key: keyOf('a'), ConditionExpression: 'attribute_exists(pk)' } },
  ]
  return { what, operation: 'TransactWriteItems', request: { TransactItems } }
}

interface Answered {
  readonly answer: unknown
  readonly units: number
}

async function send(endpoint: string, { operation, request }: Call): Promise<Answered> {
  const response = await fetch(endpoint, {
    method: 'POST',
    headers: {
      'content-type': 'application/x-amz-json-1.0',
      'x-amz-target': `DynamoDB_20120810.${operation}`,
      authorization:
        'AWS4-HMAC-SHA256 Credential=local/20260101/eu-west-1/dynamodb/aws4_request, SignedHeaders=host, Signature=0',
      'x-amz-date': '20260101T000000Z',
    },
    body: JSON.stringify({ ...request, ReturnConsumedCapacity: 'TOTAL' }),
  })
  const { ConsumedCapacity: consumed, ...answer } = (await response.json()) as Record<
    string,
    unknown
  >
  const charges = [consumed ?? []].flat() as { readonly CapacityUnits: number }[]
  const units = charges.reduce((total, { CapacityUnits }) => total + CapacityUnits, 0)
  return { answer: { status: response.status, ...withoutWords(answer) }, units }
}

/** Each engine says it in its own words. */
function withoutWords(answer: object): object {
  const text = JSON.stringify(answer, (name, value: unknown) =>
    /^(message|TableName)$/i.test(name) ? undefined : value,
  )
  return JSON.parse(text) as object
}
