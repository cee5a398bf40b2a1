import { QueryCommand } from '@aws-sdk/client-dynamodb'
import { idempotent, lockTokens, type Store, TerminalError } from 'lineclear'
import { dynamoDbStore, tableDefinition } from 'lineclear/dynamodb'
import { type LocalCloud, startLocalCloud } from 'lineclear/local'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { quietLogger } from '../deliver/quietLogger.ts'
import { countRequests, intercept, lostAnswer } from '../store/seam.ts'
import { notIn } from '../proof/hostile/mode.ts'

let cloud: LocalCloud
let store: Store
beforeAll(async () => {
  cloud = await startLocalCloud(
    { tables: { lineclear: tableDefinition() } },
    { logger: quietLogger() },
  )
  store = dynamoDbStore({ tableName: 'lineclear', client: cloud.dynamodb })
})
afterAll(() => cloud.stop())

async function freshCloud(): Promise<LocalCloud> {
  return startLocalCloud({ tables: { lineclear: tableDefinition() } }, { logger: quietLogger() })
}

describe('on DynamoDB', () => {
  it('twenty concurrent calls: one run, twenty equal answers', async () => {
    let runs = 0
    const charge = idempotent(
      { store, name: 'parallel', key: (id) => id, logger: quietLogger() },
      async (id: string) => {
        runs += 1
        await new Promise((resolve) => setTimeout(resolve, 60))
        return { receipt: id, at: new Date(0) }
      },
    )
    const answers = await Promise.all(Array.from({ length: 20 }, () => charge('a')))
    expect(answers).toEqual(Array.from({ length: 20 }, () => ({ receipt: 'a', at: new Date(0) })))
    expect(runs).toBe(1)
  })

  it(
    'a first call is two requests, a duplicate one, a large result one more each',
    notIn(['twice', 'atOnce', 'ten'], 'it counts the calls of the store'),
    async () => {
      await using own = await freshCloud()
      const requests = countRequests(own.dynamodb)
      const run = idempotent(
        {
          store: dynamoDbStore({ tableName: 'lineclear', client: own.dynamodb }),
          name: 'count',
          key: (size) => size,
          logger: quietLogger(),
        },
        async (size: number) => 'x'.repeat(size),
      )
      const countOf = async (size: number): Promise<readonly string[]> => {
        requests.length = 0
        expect(await run(size)).toHaveLength(size)
        return [...requests]
      }
      expect(await countOf(10)).toEqual(['PutItemCommand', 'UpdateItemCommand'])
      expect(await countOf(10)).toEqual(['PutItemCommand'])
      expect(await countOf(20_000)).toEqual([
        'PutItemCommand',
        'UpdateItemCommand',
        'PutItemCommand',
      ])
      expect(await countOf(20_000)).toEqual(['PutItemCommand', 'GetItemCommand'])
    },
  )

  it.each([0, 1, 2])('the answer to request %d is lost: one run, one answer', async (lost) => {
    await using own = await freshCloud()
    intercept(own.dynamodb, 'inside', async ({ nth, send }) => {
      const output = await send()
      if (nth === lost) throw lostAnswer()
      return output
    })
    let runs = 0
    const run = idempotent(
      {
        store: dynamoDbStore({ tableName: 'lineclear', client: own.dynamodb }),
        name: 'lost',
        key: () => 'k',
        logger: quietLogger(),
      },
      async () => {
        runs += 1
        return { n: runs, text: 'x'.repeat(3_000) }
      },
    )
    const answers = [await run(), await run()]
    expect(answers[1]).toEqual(answers[0])
    expect(runs).toBe(1)
  })

  it('a key that has ended is not in the status index; one that is held or waits for an operator is', async () => {
    const locker = lockTokens({ store, name: 'index', logger: quietLogger() })
    const ends = ['held', 'done', 'failed', 'parked', 'freed'] as const
    for (const end of ends) {
      const lock = await locker.begin(end, 'me', 60_000)
      if (lock.existing !== undefined) throw new Error('not free')
      if (end === 'done') await lock.endWithSuccess(1)
      if (end === 'failed') await lock.endWithError(new TerminalError('no'))
      if (end === 'parked') await lock.endWithError('no')
      if (end === 'freed') await lock.release()
    }
    expect(await listed('inProgress')).toEqual(['key#index/held'])
    expect(await listed('error')).toEqual(['key#index/parked'])
  })

  it(
    'a result over the limit of an item is kept as done, not run again',
    notIn(['atOnce', 'ten'], 'its answer is given to one caller only'),
    async () => {
      let runs = 0
      const run = idempotent(
        { store, name: 'large', key: () => 'k', logger: quietLogger() },
        async () => {
          runs += 1
          return 'x'.repeat(500_000)
        },
      )
      expect(await run()).toHaveLength(500_000)
      await expect(run()).rejects.toMatchObject({ code: 'TERMINAL' })
      expect(runs).toBe(1)
    },
  )

  it('a result just below the limit is stored whole', async () => {
    const run = idempotent(
      { store, name: 'edge', key: () => 'k', logger: quietLogger() },
      async () => 'ä'.repeat(174_000),
    )
    await run()
    expect(await run()).toHaveLength(174_000)
  })
})

async function listed(status: string): Promise<readonly (string | undefined)[]> {
  const shards = Array.from({ length: 8 }, (_, shard) =>
    cloud.dynamodb.send(
      new QueryCommand({
        TableName: 'lineclear',
        IndexName: 'byStatus',
        KeyConditionExpression: 'statusShard = :shard',
        FilterExpression: 'begins_with(pk, :name)',
        ExpressionAttributeValues: {
          ':shard': { S: `${status}#${shard}` },
          ':name': { S: 'key#index/' },
        },
      }),
    ),
  )
  const found = await Promise.all(shards)
  return found.flatMap(({ Items = [] }) => Items.map(({ pk }) => pk?.S))
}
