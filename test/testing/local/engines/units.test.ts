import { expect, it } from 'vitest'
import { tableDefinition } from 'lineclear/dynamodb'
import { type Engine, startDynoxide, startTypeScript } from '../../../store/dynoxide.ts'
import { send } from './call.ts'

const TableName = 'lineclear'
const keyOf = (pk: string) => ({ pk: { S: pk }, sk: { S: 'token' } })
const INDEXED = { statusShard: { S: 'error#1' }, dueAt: { N: '-1200.5' }, status: { S: 'error' } }

const put = (pk: string, more: object) => [
  'PutItem',
  { TableName, Item: { ...keyOf(pk), ...more } },
]
const update = (UpdateExpression: string, ExpressionAttributeValues?: object) => [
  'UpdateItem',
  { TableName, Key: keyOf('b'), UpdateExpression, ExpressionAttributeValues },
]
const get = (pk: string, ConsistentRead: boolean) => [
  'GetItem',
  { TableName, Key: keyOf(pk), ConsistentRead },
]
const settle = (pk: string) => ({
  Statement: `UPDATE "${TableName}" SET "ttl"=? WHERE "pk"=? AND "sk"=?`,
  Parameters: [{ N: '9' }, { S: pk }, { S: 'token' }],
})

/** In this order: each finds what those before it have left. */
const CALLS = [
  ['a new item', 1, ...put('a', { fence: { N: '1' } })],
  [
    'a new item of 2 KB in the index',
    4,
    ...put('b', { note: { S: 'é'.repeat(1_000) }, ...INDEXED }),
  ],
  ['an index key that changes', 5, ...update('SET dueAt = :a', { ':a': { N: '7' } })],
  ['what the index does not hold', 3, ...update('SET fence = :a', { ':a': { N: '7' } })],
  ['what the index holds', 4, ...update('SET lockedBy = :a', { ':a': { S: 'me' } })],
  ['an index key that goes', 4, ...update('REMOVE statusShard, dueAt')],
  ['an item of 2 KB', 0.5, ...get('b', false)],
  ['the same, consistently', 1, ...get('b', true)],
  ['what is not there', 0.5, ...get('z', false)],
  [
    'some of several',
    2,
    'BatchGetItem',
    { RequestItems: { [TableName]: { Keys: [keyOf('a'), keyOf('z')], ConsistentRead: true } } },
  ],
  ['statements', 3, 'BatchExecuteStatement', { Statements: [settle('a'), settle('b')] }],
  [
    'a transaction: each item twice',
    6,
    'TransactWriteItems',
    {
      TransactItems: [
        { Put: { TableName, Item: keyOf('c') } },
        { Delete: { TableName, Key: keyOf('a') } },
        {
          ConditionCheck: {
            TableName,
            Key: keyOf('d'),
            ConditionExpression: 'attribute_not_exists(pk)',
          },
        },
      ],
    },
  ],
] as unknown as readonly (readonly [
  what: string,
  units: number,
  operation: string,
  request: object,
])[]

it.each([
  ['the native engine, if there is one', startDynoxide],
  ['the engine in TypeScript', startTypeScript],
])('%s charges by the rules of DynamoDB', async (_, start) => {
  const engine = await start()
  await send(engine.endpoint, 'CreateTable', tableDefinition({ tableName: TableName }))
  const charged = []
  for (const [what, , operation, request] of CALLS) {
    charged.push([what, await unitsOf(engine, operation, request)])
  }
  await engine.stop()
  expect(charged).toEqual(CALLS.map(([what, units]) => [what, units]))
})

async function unitsOf({ endpoint }: Engine, operation: string, request: object): Promise<number> {
  const answer = await send(endpoint, operation, { ...request, ReturnConsumedCapacity: 'TOTAL' })
  const consumed = [answer['ConsumedCapacity']].flat() as { readonly CapacityUnits: number }[]
  return consumed.reduce((units, { CapacityUnits }) => units + CapacityUnits, 0)
}
