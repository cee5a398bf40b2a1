import { DynamoDBClient, GetItemCommand, UpdateItemCommand } from '@aws-sdk/client-dynamodb'
import { startLocalCloud, type LocalCloud } from 'lineclear/local'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { quietMapping, send, sendMany, until } from './helpers.ts'

const QUEUES = ['dies', 'restarts', 'thaws', 'goes-on', 'hangs', 'hangs-after', 'times-out']
let cloud: LocalCloud
beforeAll(async () => {
  cloud = await startLocalCloud({
    queues: Object.fromEntries(QUEUES.map((name) => [name, { visibilityTimeout: 1 }])),
    tables: { effects: { hash: 'id' } },
  })
})
afterAll(() => cloud.stop())

async function count(id: string, client = cloud.dynamodb): Promise<void> {
  await client.send(
    new UpdateItemCommand({
      TableName: 'effects',
      Key: { id: { S: id } },
      UpdateExpression: 'ADD times :one',
      ExpressionAttributeValues: { ':one': { N: '1' } },
    }),
  )
}

async function timesOf(id: string): Promise<number> {
  const { Item } = await cloud.dynamodb.send(
    new GetItemCommand({ TableName: 'effects', Key: { id: { S: id } }, ConsistentRead: true }),
  )
  return Number(Item?.['times']?.N ?? 0)
}

const pause = (milliseconds: number) => new Promise((resolve) => setTimeout(resolve, milliseconds))

describe('a sandbox that dies', () => {
  it('takes all calls of its invocation with it, wherever its code is', async () => {
    await sendMany(cloud, 'dies', 3)
    const mapping = quietMapping({
      cloud,
      queue: 'dies',
      faults: { sandboxDeath: 1 },
      handler: async ({ Records }) => {
        await Promise.all(
          Records.map(async () => {
            await pause(60)
            await count('dies')
          }),
        )
      },
    })
    await until(() => mapping.counts.kills > 0)
    await pause(100)
    await mapping.stop()
    expect(await timesOf('dies')).toBe(0)
    expect(mapping.counts.deleted).toBe(0)
  })

  it('is replaced by one with module state of its own, if there is a way to make it', async () => {
    await send(cloud, 'restarts', { MessageBody: 'x' })
    const seen: string[] = []
    const made = (name: string) => async () => {
      seen.push(name)
      await count('restarts')
    }
    let restarts = 0
    const mapping = quietMapping({
      cloud,
      queue: 'restarts',
      faults: { at: [{ invocation: 1, call: 1, fault: 'killBefore' }] },
      handler: made('first'),
      restart: () => made(`restart ${(restarts += 1)}`),
    })
    await mapping.drained({ timeout: '10m' })
    expect(seen).toEqual(['first', 'restart 1'])
  })
})

describe('what a handler has left running', () => {
  async function leftRunning(queue: string, freeze: number) {
    await send(cloud, queue, { MessageBody: 'x' })
    const mapping = quietMapping({
      cloud,
      queue,
      faults: { freeze },
      handler: async () => {
        if (mapping.counts.invocations === 1) void pause(20).then(() => count(queue))
        else await pause(50)
      },
    })
    await mapping.drained({ timeout: '10m' })
    await pause(100)
    const before = await timesOf(queue)
    await send(cloud, queue, { MessageBody: 'x' })
    await mapping.drained({ timeout: '10m' })
    await mapping.stop()
    return [before, await timesOf(queue)]
  }

  it('continues when the next invocation thaws its frozen sandbox', async () => {
    expect(await leftRunning('thaws', 1)).toEqual([0, 1])
  })

  it('continues at once without that fault', async () => {
    expect(await leftRunning('goes-on', 0)).toEqual([1, 1])
  })
})

describe('a half-open socket', () => {
  const impatient = () => {
    const { region, endpoints } = cloud
    const client = new DynamoDBClient({
      region,
      endpoint: endpoints.dynamodb ?? '',
      credentials: { accessKeyId: 'a', secretAccessKey: 'b' },
      requestHandler: { requestTimeout: 150, throwOnRequestTimeout: true },
    })
    return cloud.instrument(client)
  }

  it.each([
    ['hangs', 'hangBefore', 1],
    ['hangs-after', 'hangAfter', 2],
  ] as const)(
    'ends with the timeout of the client (%s, %s): after its retry it was carried out %d times',
    async (queue, fault, times) => {
      const client = impatient()
      await send(cloud, queue, { MessageBody: 'x' })
      const mapping = quietMapping({
        cloud,
        queue,
        faults: { at: [{ invocation: 1, call: 1, fault }] },
        handler: async () => count(queue, client),
      })
      const began = Date.now()
      await mapping.drained({ timeout: '10m' })
      await mapping.stop()
      client.destroy()
      expect(Date.now() - began).toBeGreaterThanOrEqual(150)
      expect(await timesOf(queue)).toBe(times)
      expect(mapping.counts).toMatchObject({ hangs: 1, invocations: 1, deleted: 1 })
    },
  )

  it('without one hangs until the time of the function is over', async () => {
    await send(cloud, 'times-out', { MessageBody: 'x' })
    const mapping = quietMapping({
      cloud,
      queue: 'times-out',
      functionTimeout: 300,
      faults: { at: [{ invocation: 1, call: 1, fault: 'hangBefore' }] },
      handler: async () => count('times-out'),
    })
    await mapping.drained({ timeout: '10m' })
    await mapping.stop()
    expect(mapping.counts).toMatchObject({ hangs: 1, timeouts: 1, invocations: 2 })
    expect(await timesOf('times-out')).toBe(1)
  })
})
