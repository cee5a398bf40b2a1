import { ScanCommand } from '@aws-sdk/client-dynamodb'
import {
  exists,
  type RecordContext,
  recordHandler,
  type Store,
  type HandlerResult,
} from 'lineclear'
import { memoryStore, sqsEvent } from 'lineclear/testing'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { dynamoDbStore } from '../../src/library/adapters/store/dynamodb/index.ts'
import { createTables, type Engine, startDynoxide } from '../store/dynoxide.ts'

const quiet = { debug() {}, info() {}, warn() {}, error() {} }

let engine: Engine
beforeAll(async () => {
  engine = await startDynoxide()
})
afterAll(() => engine.stop())

/** Runs one record, and gives the reason of its dead letter, if it got one. */
async function run(store: Store, handle: (ctx: RecordContext) => HandlerResult): Promise<unknown> {
  const settled: unknown[] = []
  const handler = recordHandler(
    { name: 'orders', store, logger: quiet, onSettled: (each) => void settled.push(each) },
    (_, ctx) => handle(ctx),
  )
  await handler(sqsEvent({}), {} as never)
  return settled[0]
}

it('fifty writes at once succeed where a transaction takes its time and another one on the same item is cancelled', async () => {
  const store = memoryStore({ transactionTime: 10 })
  const skus = Array.from({ length: 50 }, (_, nth) => `s${nth}`)
  const settled = await run(store, (ctx) =>
    Promise.all(
      skus.map((sku) => ctx.write(sku, { TableName: 'stock', Key: { sku }, put: { n: 1 } })),
    ),
  )
  expect(settled).toEqual({ kind: 'completed' })
  expect(store.userItems('stock')).toHaveLength(50)
})

it('a raw item is carried out on DynamoDB with the writes beside it, and its condition refuses them all', async () => {
  const client = engine.client()
  const { tableName, userTable } = await createTables(client)
  const store = dynamoDbStore({ tableName, client })
  const raw = (least: string) => ({
    raw: {
      Update: {
        TableName: userTable,
        Key: { id: { S: 'list' } },
        UpdateExpression: 'SET tags = list_append(if_not_exists(tags, :none), :tag)',
        ConditionExpression: 'attribute_not_exists(tags) OR size(tags) >= :least',
        ExpressionAttributeValues: {
          ':none': { L: [] },
          ':tag': { L: [{ S: 'new' }] },
          ':least': { N: least },
        },
      },
    },
  })
  const results: unknown[] = []
  await run(store, async (ctx) => {
    const own = { TableName: userTable, Key: { id: 'own' }, add: { n: 1 } }
    results.push(await ctx.write('first', [own, raw('1')]))
    results.push(await ctx.write('second', [{ ...own, guard: exists() }, raw('5')]))
  })
  const refused = { applied: false, reason: 'unmet', index: 1, table: userTable, guard: undefined }
  expect(results).toEqual([{ applied: true }, { ...refused, item: undefined }])
  const { Items } = await client.send(new ScanCommand({ TableName: userTable }))
  expect(Items).toHaveLength(2)
  expect(Items).toContainEqual({ id: { S: 'list' }, tags: { L: [{ S: 'new' }] } })
  expect(Items).toContainEqual({ id: { S: 'own' }, n: { N: '1' } })
})
