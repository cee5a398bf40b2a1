import { type DynamoDBClient, ScanCommand, UpdateItemCommand } from '@aws-sdk/client-dynamodb'
import { recordHandler } from 'lineclear'
import { dynamoDbStore, tableDefinition } from 'lineclear/dynamodb'
import { startLocalCloud, type LocalCloud, type QueueHandler } from 'lineclear/local'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { quietLogger, quietMapping, send, sendMany, until } from './helpers.ts'

const SECONDS = { visibilityTimeout: 1 }
let cloud: LocalCloud
beforeAll(async () => {
  cloud = await startLocalCloud({
    queues: { naive: SECONDS, lineclear: SECONDS, dies: SECONDS, waits: SECONDS, many: SECONDS },
    tables: { lineclear: tableDefinition(), entries: { hash: 'id' } },
  })
})
afterAll(() => cloud.stop())

const add = { Key: { id: 'one' }, add: { times: 1 } }

async function addTo(id: string, client: DynamoDBClient = cloud.dynamodb): Promise<void> {
  const UpdateExpression = 'ADD times :one'
  const ExpressionAttributeValues = { ':one': { N: '1' } }
  const values = { UpdateExpression, ExpressionAttributeValues }
  await client.send(
    new UpdateItemCommand({ TableName: 'entries', Key: { id: { S: id } }, ...values }),
  )
}

async function timesOf(id: string): Promise<number> {
  const { Items = [] } = await cloud.dynamodb.send(new ScanCommand({ TableName: 'entries' }))
  return Number(Items.find((item) => item['id']?.S === id)?.['times']?.N ?? 0)
}

/** The first attempt waits until a later one has begun, and then writes: both have read that nothing is there. */
function overtaken(): { read(): Promise<void>; readonly attempts: () => number } {
  const later = Promise.withResolvers<void>()
  let attempts = 0
  return {
    read: async () => {
      attempts += 1
      if (attempts > 1) later.resolve()
      await later.promise
    },
    attempts: () => attempts,
  }
}

it('lets an attempt that has timed out write beside its successor: the naive handler doubles', async () => {
  const { read, attempts } = overtaken()
  const handler: QueueHandler = async () => {
    if ((await timesOf('naive')) > 0) return
    await read()
    await addTo('naive')
  }
  await send(cloud, 'naive', { MessageBody: '1' })
  const mapping = quietMapping({
    cloud,
    queue: 'naive',
    handler,
    managed: true,
    functionTimeout: 500,
  })
  await mapping.drained()
  expect({ attempts: attempts(), times: await timesOf('naive') }).toEqual({ attempts: 2, times: 2 })
  expect(mapping.counts).toMatchObject({ timeouts: 1, kills: 0, deleted: 1 })
})

it('lets an overtaken attempt of Lineclear write nothing', async () => {
  const { read, attempts } = overtaken()
  const refused: unknown[] = []
  const logger = quietLogger()
  const handler = recordHandler(
    {
      name: 'lineclear',
      store: dynamoDbStore({ tableName: 'lineclear', client: cloud.dynamodb }),
      clients: { sqs: cloud.sqs },
      logger,
    },
    async (_, ctx) => {
      await read()
      await ctx.write('entry', { TableName: 'entries', ...add }).catch((error: unknown) => {
        refused.push((error as Error).name)
        throw error
      })
    },
  )
  await send(cloud, 'lineclear', { MessageBody: '1' })
  const mapping = quietMapping({
    cloud,
    queue: 'lineclear',
    handler,
    managed: true,
    functionTimeout: 1_000,
  })
  await mapping.drained({ timeout: '1m' })
  await until(() => refused.length > 0)
  expect({ attempts: attempts(), times: await timesOf('one'), refused }).toEqual({
    attempts: 2,
    times: 1,
    refused: ['SupersededError'],
  })
}, 60_000)

it('runs invocations side by side in one process, which a kill ends as a whole', async () => {
  const handlers: string[] = []
  /** Of the first three, the first makes the call that kills it, and the others would never end. */
  const named = (name: string): QueueHandler => {
    return async () => {
      const nth = handlers.push(name)
      await until(() => handlers.length > 2)
      if (nth === 2 || nth === 3) await new Promise(() => {})
      await addTo('dies')
    }
  }
  await sendMany(cloud, 'dies', 3)
  let restarts = 0
  const mapping = quietMapping({
    cloud,
    queue: 'dies',
    managed: true,
    batchSize: 1,
    faults: { at: [{ invocation: 1, call: 1, fault: 'killBefore' }], freeze: 1 },
    handler: named('first'),
    restart: () => named(`restart ${(restarts += 1)}`),
  })
  await mapping.drained()
  expect(handlers).toEqual([...Array(3).fill('first'), ...Array(3).fill('restart 1')])
  expect(mapping.counts).toMatchObject({
    invocations: 6,
    kills: 1,
    failedInvocations: 3,
    deleted: 3,
  })
})

it('counts as drained only when no code runs on', async () => {
  const end = Promise.withResolvers<void>()
  let isOver = false
  let attempts = 0
  const handler: QueueHandler = async () => {
    attempts += 1
    if (attempts > 1) return
    await end.promise
    isOver = true
  }
  await send(cloud, 'waits', { MessageBody: '1' })
  const mapping = quietMapping({
    cloud,
    queue: 'waits',
    handler,
    managed: true,
    functionTimeout: 200,
  })
  await expect(mapping.drained({ timeout: 2_000 })).rejects.toThrow('0 in flight, 1 invocations')
  end.resolve()
  await mapping.drained()
  expect({ attempts, isOver }).toEqual({ attempts: 2, isOver: true })
})

it('keeps forty invocations of one process apart, each with its request, its time and its writes', async () => {
  const all = Promise.withResolvers<void>()
  const seen: object[] = []
  const handler = recordHandler(
    {
      name: 'many',
      store: dynamoDbStore({ tableName: 'lineclear', client: cloud.dynamodb }),
      clients: { sqs: cloud.sqs },
      id: (payload) => `request-${String(payload)}`,
      logger: quietLogger(),
    },
    async (payload, ctx) => {
      if (seen.push({ payload, request: ctx.uniqueRequestId }) === 40) all.resolve()
      await all.promise
      const Key = { id: ctx.uniqueRequestId }
      await ctx.write('entry', { TableName: 'entries', Key, add: { times: 1 } })
    },
  )
  await sendMany(cloud, 'many', 40)
  const mapping = quietMapping({
    cloud,
    queue: 'many',
    handler,
    managed: true,
    batchSize: 1,
    concurrency: 40,
    functionTimeout: 30_000,
  })
  await mapping.drained({ timeout: '1m' })
  const requests = Array.from({ length: 40 }, (_, payload) => `request-${payload}`)
  expect(new Set(seen)).toEqual(new Set(requests.map((request, payload) => ({ payload, request }))))
  expect(await Promise.all(requests.map(timesOf))).toEqual(requests.map(() => 1))
}, 90_000)
