import {
  BatchExecuteStatementCommand,
  BatchGetItemCommand,
  DeleteItemCommand,
  GetItemCommand,
  PutItemCommand,
  QueryCommand,
  TransactWriteItemsCommand,
  UpdateItemCommand,
} from '@aws-sdk/client-dynamodb'
import { startLocalCloud, type Faults, type LocalCloud } from 'lineclear/local'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { quietMapping, send } from './helpers.ts'

let cloud: LocalCloud
beforeAll(async () => {
  cloud = await startLocalCloud({
    queues: { q: { visibilityTimeout: 60 } },
    tables: { items: { hash: 'id' }, others: { hash: 'id', range: 'at' } },
  })
})
afterAll(() => cloud.stop())

/** Runs it in one invocation. @returns what it answered, and what was counted */
async function inside<T>(faults: Faults, run: () => Promise<T>) {
  await send(cloud, 'q', { MessageBody: 'x' })
  let answer: T | undefined
  let failure: unknown
  const mapping = quietMapping({
    cloud,
    queue: 'q',
    faults,
    handler: async () => {
      try {
        answer = await run()
      } catch (error) {
        failure = error
      }
    },
  })
  await mapping.drained({ timeout: '10m' })
  await mapping.stop()
  return { answer, failure, counts: mapping.counts }
}

const item = (id: string, value = '1') => ({ id: { S: id }, value: { S: value } })
const put = (id: string, value?: string) =>
  cloud.dynamodb.send(new PutItemCommand({ TableName: 'items', Item: item(id, value) }))
const get = async (id: string, ConsistentRead = true) => {
  const asked = { TableName: 'items', Key: { id: { S: id } }, ConsistentRead }
  return (await cloud.dynamodb.send(new GetItemCommand(asked))).Item?.['value']?.S
}
const transact = (...ids: readonly string[]) =>
  cloud.dynamodb.send(
    new TransactWriteItemsCommand({
      TransactItems: ids.map((id) => ({ Put: { TableName: 'items', Item: item(id) } })),
    }),
  )
const pause = (milliseconds: number) => new Promise((resolve) => setTimeout(resolve, milliseconds))
const first = (fault: 'conflict') => ({ at: [{ invocation: 1, call: 1, fault }] })

describe('a conflict with a transaction', () => {
  it.each([
    ['PutItem', () => put('a')],
    [
      'UpdateItem',
      () =>
        cloud.dynamodb.send(new UpdateItemCommand({ TableName: 'items', Key: { id: { S: 'a' } } })),
    ],
    [
      'DeleteItem',
      () =>
        cloud.dynamodb.send(new DeleteItemCommand({ TableName: 'items', Key: { id: { S: 'a' } } })),
    ],
  ])('refuses %s, and the SDK does not try again', async (action, write) => {
    const { failure, counts } = await inside(first('conflict'), write)
    expect(failure).toMatchObject({
      name: 'TransactionConflictException',
      $metadata: { attempts: 1 },
    })
    expect(counts).toMatchObject({ conflicts: 1, deleted: 1 })
    expect(action).toMatch(/Item$/)
    expect(await get('a')).toBeUndefined()
  })

  it('cancels a transaction, with a reason for each item', async () => {
    const { failure } = await inside(first('conflict'), () => transact('b', 'c', 'd'))
    expect(failure).toMatchObject({ name: 'TransactionCanceledException' })
    const { CancellationReasons = [] } = failure as { CancellationReasons?: { Code: string }[] }
    const codes = CancellationReasons.map(({ Code }) => Code)
    expect(codes.toSorted()).toEqual(['None', 'None', 'TransactionConflict'])
    expect(await get('b')).toBeUndefined()
  })

  it('is the answer of one statement of a batch; the others are carried out', async () => {
    const ids = ['s1', 's2', 's3', 's4']
    const { answer } = await inside(first('conflict'), () =>
      cloud.dynamodb.send(
        new BatchExecuteStatementCommand({
          Statements: ids.map((id) => ({
            Statement: `INSERT INTO "items" VALUE {'id':?, 'value':?}`,
            Parameters: [{ S: id }, { S: id }],
          })),
        }),
      ),
    )
    const codes = answer?.Responses?.map((response) => response.Error?.Code) ?? []
    expect(codes).toHaveLength(4)
    const refused = codes.indexOf('TransactionConflict')
    expect(refused).toBeGreaterThanOrEqual(0)
    const stored = await Promise.all(ids.map((id) => get(id)))
    expect(stored).toEqual(ids.map((id, nth) => (nth === refused ? undefined : id)))
  })

  it('never hits a read', async () => {
    const { failure, counts } = await inside({ conflict: 1 }, () => get('a'))
    expect(failure).toBeUndefined()
    expect(counts.conflicts).toBe(0)
  })

  it('happens when two transactions overlap, also when a plain write meets one; other items are free', async () => {
    const { answer } = await inside({ transactionTime: 2_000 }, async () => {
      const one = transact('o1', 'o2')
      await pause(200)
      const results = await Promise.allSettled([
        transact('o2', 'o3'),
        put('o1'),
        put('o3'),
        get('o1'),
        one,
      ])
      await put('o1', 'after')
      return results.map((result) => (result.status === 'fulfilled' ? 'ok' : `${result.reason}`))
    })
    expect(answer).toEqual([
      expect.stringContaining('[TransactionConflict, None]'),
      expect.stringContaining('TransactionConflictException'),
      'ok',
      'ok',
      'ok',
    ])
    expect(await get('o1')).toBe('after')
  })
})

describe('a read without ConsistentRead', () => {
  const stale = { staleRead: 1, seed: 4 }

  it('shows an item as it was, a second long at most; a consistent one never', async () => {
    await put('r1', 'old')
    const { answer, counts } = await inside(stale, async () => {
      await put('r1', 'new')
      const seen = [await get('r1', false), await get('r1')]
      await pause(1_050)
      return [...seen, await get('r1', false)]
    })
    expect(answer).toEqual(['old', 'new', 'new'])
    expect(counts.staleReads).toBe(1)
  })

  it('does not show one that was just created, and still shows one that was deleted', async () => {
    await put('r3', 'gone')
    const { answer } = await inside(stale, async () => {
      await transact('r2')
      await cloud.dynamodb.send(
        new DeleteItemCommand({ TableName: 'items', Key: { id: { S: 'r3' } } }),
      )
      const { Responses } = await cloud.dynamodb.send(
        new BatchGetItemCommand({
          RequestItems: { items: { Keys: [{ id: { S: 'r2' } }, { id: { S: 'r3' } }] } },
        }),
      )
      return Responses
    })
    expect(answer).toEqual({ items: [item('r3', 'gone')] })
  })

  it('finds by a query what was there', async () => {
    const { answer } = await inside(stale, async () => {
      const Item = { id: { S: 'q' }, at: { S: '1' } }
      await cloud.dynamodb.send(new PutItemCommand({ TableName: 'others', Item }))
      const query = (ConsistentRead: boolean) =>
        cloud.dynamodb.send(
          new QueryCommand({
            TableName: 'others',
            KeyConditionExpression: 'id = :id',
            ExpressionAttributeValues: { ':id': { S: 'q' } },
            ConsistentRead,
          }),
        )
      return [(await query(false)).Count, (await query(true)).Count]
    })
    expect(answer).toEqual([0, 1])
  })
})

describe('a table that is throttled for a while', () => {
  it('refuses its calls and cancels transactions that touch it; other tables answer', async () => {
    const throttleTables = [{ table: 'items', for: 700 }]
    const { answer, counts } = await inside({ throttleTables }, async () => {
      const Item = { id: { S: 't' }, at: { S: '1' } }
      const other = { Put: { TableName: 'others', Item } }
      const mixed = { TransactItems: [other, { Put: { TableName: 'items', Item: item('t') } }] }
      const results = await Promise.allSettled([
        cloud.dynamodb.send(new TransactWriteItemsCommand(mixed)),
        cloud.dynamodb.send(new PutItemCommand({ TableName: 'others', Item })),
        vi.waitFor(() => put('t', 'in the end'), { timeout: 60_000 }),
      ])
      return results.map((result) => (result.status === 'fulfilled' ? 'ok' : `${result.reason}`))
    })
    expect(answer).toEqual([expect.stringContaining('[None, ThrottlingError]'), 'ok', 'ok'])
    expect(counts.tableThrottles).toBeGreaterThanOrEqual(2)
    expect(await get('t')).toBe('in the end')
  })
})
