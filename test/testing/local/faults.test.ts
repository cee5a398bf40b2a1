import {
  DynamoDBClient,
  GetItemCommand,
  PutItemCommand,
  UpdateItemCommand,
} from '@aws-sdk/client-dynamodb'
import { startLocalCloud, type Faults, type LocalCloud } from 'lineclear/local'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { redeliveredAfter } from '../../../src/testing/local/faults/faults.ts'
import { bodiesOf, quietMapping, send, sendMany, until, whenEnded } from './helpers.ts'

const QUEUES = ['at-once', 'one-fails', 'before', 'after', 'end', 'dead']
const MORE = ['outside', 'seeded-1', 'seeded-2']
/** Their messages must be received once, also on a slow machine. */
const CALM = ['put', 'lost', 'throttled', 'later', 'later.fifo', 'order-1', 'order-2', 'order-3']
let cloud: LocalCloud
beforeAll(async () => {
  cloud = await startLocalCloud({
    queues: {
      ...Object.fromEntries([...QUEUES, ...MORE].map((name) => [name, { visibilityTimeout: 1 }])),
      ...Object.fromEntries(CALM.map((name) => [name, { visibilityTimeout: 60 }])),
    },
    tables: { effects: { hash: 'id' } },
  })
})
afterAll(() => cloud.stop())

/** An effect that shows how often it happened. */
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

describe.concurrent('deliver twice', () => {
  it('at once: two invocations have the record at the same time', async () => {
    let running = 0
    let most = 0
    const id = await send(cloud, 'at-once', { MessageBody: 'x' })
    const seen: string[] = []
    const mapping = quietMapping({
      cloud,
      queue: 'at-once',
      faults: { duplicate: 1 },
      handler: async (event) => {
        seen.push(...event.Records.map(({ messageId }) => messageId))
        most = Math.max(most, (running += 1))
        await until(() => most === 2)
        running -= 1
      },
    })
    await mapping.drained({ timeout: '10m' })
    expect(seen).toEqual([id, id])
    expect(mapping.counts).toMatchObject({ invocations: 2, duplicates: 1, deleted: 1 })
  })

  it('at once: the first copy that succeeds deletes the message, though the other one fails', async () => {
    await send(cloud, 'one-fails', { MessageBody: 'x' })
    const mapping = quietMapping({
      cloud,
      queue: 'one-fails',
      faults: { duplicate: 1 },
      handler: async () => {
        if (mapping.counts.invocations === 2) throw new Error('the second delivery')
      },
    })
    await mapping.drained({ timeout: '10m' })
    expect(mapping.counts).toMatchObject({ invocations: 2, failedInvocations: 1, deleted: 1 })
  })

  it.each(['later', 'later.fifo'])('%s: after the record was finished', async (queue) => {
    const fifo = queue.endsWith('.fifo')
    const id = await send(cloud, queue, {
      MessageBody: 'x',
      ...(fifo && { MessageGroupId: 'g', MessageDeduplicationId: 'd' }),
    })
    const seen: string[] = []
    const mapping = quietMapping({
      cloud,
      queue,
      faults: onlyTheFirstComesAgain(),
      handler: async ({ Records: [record] }) => {
        seen.push(`${record?.messageId} ${record?.attributes.ApproximateReceiveCount} begins`)
        await new Promise((resolve) => setTimeout(resolve, 20))
        seen.push('ends')
      },
    })
    await mapping.drained({ timeout: '10m' })
    expect(seen).toEqual([`${id} 1 begins`, 'ends', `${id} 2 begins`, 'ends'])
    expect(mapping.counts).toMatchObject({ duplicates: 1, deleted: 1 })
  })

  function onlyTheFirstComesAgain(): Faults {
    const candidates = Array.from({ length: 100 }, (_, seed) => ({ seed, duplicateLater: 0.5 }))
    const found = candidates.find(
      (faults) =>
        redeliveredAfter(faults, 1) !== undefined && redeliveredAfter(faults, 2) === undefined,
    )
    if (found === undefined) throw new Error('no such seed')
    return found
  }
})

describe('order', () => {
  async function orderOf(queue: string, faults: Faults): Promise<readonly string[]> {
    await sendMany(cloud, queue, 12)
    const seen: string[] = []
    const mapping = quietMapping({
      cloud,
      queue,
      batchSize: 1,
      concurrency: 12,
      faults,
      handler: async (event) => void seen.push(...bodiesOf(event)),
    })
    await mapping.drained({ timeout: '10m' })
    await mapping.stop()
    return seen
  }

  it('is shuffled across batches, the same for the same seed', async () => {
    const shuffled = await orderOf('order-1', { shuffle: true, seed: 5 })
    const sent = Array.from({ length: 12 }, (_, number) => String(number))
    expect(shuffled).not.toEqual(sent)
    expect(shuffled.toSorted((a, b) => Number(a) - Number(b))).toEqual(sent)
    expect(await orderOf('order-2', { shuffle: true, seed: 5 })).toEqual(shuffled)
    expect(await orderOf('order-3', { shuffle: true, seed: 6 })).not.toEqual(shuffled)
  })
})

describe.concurrent('kill', () => {
  const killed = { kills: 1, failedInvocations: 1, invocations: 2, deleted: 1 }

  it.each([
    ['before', 'killBefore', 1],
    ['after', 'killAfter', 2],
  ] as const)(
    '%s a call (%s): it has taken place %d times after the second run',
    async (queue, fault, times) => {
      let wentOn = 0
      await send(cloud, queue, { MessageBody: 'x' })
      const mapping = quietMapping({
        cloud,
        queue,
        faults: { at: [{ invocation: 1, call: 2, fault }] },
        handler: async () => {
          await count(`${queue}-first`)
          await count(`${queue}-second`)
          wentOn += 1
        },
      })
      const start = Date.now()
      await mapping.drained({ timeout: '10m' })
      expect(Date.now() - start).toBeGreaterThanOrEqual(900)
      expect(wentOn).toBe(1)
      expect(await timesOf(`${queue}-first`)).toBe(2)
      expect(await timesOf(`${queue}-second`)).toBe(times)
      expect(mapping.counts).toMatchObject(killed)
    },
  )

  it('before the delete: the effects are done and the message is redelivered', async () => {
    await send(cloud, 'end', { MessageBody: 'x' })
    const mapping = quietMapping({
      cloud,
      queue: 'end',
      faults: { at: [{ invocation: 1, fault: 'killBeforeDelete' }] },
      handler: async () => count('end'),
    })
    await mapping.drained({ timeout: '10m' })
    expect(await timesOf('end')).toBe(2)
    expect(mapping.counts).toMatchObject(killed)
  })

  it('a dead invocation writes nothing more, whatever its code still tries', async () => {
    await send(cloud, 'dead', { MessageBody: 'x' })
    const calls: (readonly string[])[] = []
    let tried = false
    const mapping = quietMapping({
      cloud,
      queue: 'dead',
      faults: { at: [{ invocation: 1, call: 1, fault: 'killBefore' }] },
      observe: whenEnded((end) => calls.push([...end.calls.values()])),
      handler: async () => {
        if (mapping.counts.invocations > 1) return
        void count('fatal')
        await new Promise((resolve) => setTimeout(resolve, 50))
        tried = true
        await count('beside')
      },
    })
    await mapping.drained({ timeout: '10m' })
    expect(tried).toBe(true)
    expect(calls).toEqual([['UpdateItem'], []])
    expect([await timesOf('fatal'), await timesOf('beside')]).toEqual([0, 0])
  })
})

describe('the answer of a call is lost', () => {
  it('and the retry of the SDK meets its own conditional put', async () => {
    await send(cloud, 'put', { MessageBody: 'x' })
    const errors: unknown[] = []
    const mapping = quietMapping({
      cloud,
      queue: 'put',
      faults: { at: [{ invocation: 1, call: 1, fault: 'loseAnswer' }] },
      handler: async () => {
        try {
          await cloud.dynamodb.send(
            new PutItemCommand({
              TableName: 'effects',
              Item: { id: { S: 'put' }, owner: { S: 'me' } },
              ConditionExpression: 'attribute_not_exists(id)',
              ReturnValuesOnConditionCheckFailure: 'ALL_OLD',
            }),
          )
        } catch (error) {
          errors.push(error)
        }
      },
    })
    await mapping.drained({ timeout: '10m' })
    expect(errors).toEqual([
      expect.objectContaining({
        name: 'ConditionalCheckFailedException',
        Item: { id: { S: 'put' }, owner: { S: 'me' } },
        $metadata: expect.objectContaining({ attempts: 2 }),
      }),
    ])
    expect(mapping.counts).toMatchObject({ lostAnswers: 1, kills: 0, deleted: 1 })
  })

  it('and a counter counts twice', async () => {
    await send(cloud, 'lost', { MessageBody: 'x' })
    const mapping = quietMapping({
      cloud,
      queue: 'lost',
      faults: { at: [{ invocation: 1, call: 1, fault: 'loseAnswer' }] },
      handler: async () => count('lost'),
    })
    await mapping.drained({ timeout: '10m' })
    expect(await timesOf('lost')).toBe(2)
    expect(mapping.counts.invocations).toBe(1)
  })
})

it('a throttled call has no effect and is tried again, on a client of the user too', async () => {
  await send(cloud, 'throttled', { MessageBody: 'x' })
  const { region, endpoints } = cloud
  const credentials = { accessKeyId: 'a', secretAccessKey: 'b' }
  const client = new DynamoDBClient({ region, credentials, endpoint: endpoints.dynamodb ?? '' })
  cloud.instrument(cloud.instrument(client))
  const mapping = quietMapping({
    cloud,
    queue: 'throttled',
    faults: { at: [{ invocation: 1, call: 1, fault: 'throttle' }] },
    handler: async () => count('throttled', client),
  })
  await mapping.drained({ timeout: '10m' })
  client.destroy()
  expect(await timesOf('throttled')).toBe(1)
  expect(mapping.counts).toMatchObject({ throttles: 1, invocations: 1, deleted: 1 })
})

it('calls from outside the handler are never hit', async () => {
  const mapping = quietMapping({
    cloud,
    queue: 'outside',
    faults: { kill: 1, loseAnswer: 1, throttle: 1 },
    handler: async () => count('inside'),
  })
  await count('outside')
  await send(cloud, 'outside', { MessageBody: 'x' })
  await until(() => mapping.counts.kills > 0)
  await mapping.stop()
  expect(await timesOf('outside')).toBe(1)
})

it('probabilities hit the same places for the same seed', async () => {
  const run = async (queue: string) => {
    const outcomes: string[] = []
    await sendMany(cloud, queue, 12)
    const mapping = quietMapping({
      cloud,
      queue,
      batchSize: 1,
      concurrency: 1,
      faults: { seed: 11, kill: 0.2, loseAnswer: 0.2 },
      observe: whenEnded(({ outcome, calls }) => outcomes.push(`${outcome} ${calls.size}`)),
      handler: async () => {
        await count(queue)
        await count(queue)
      },
    })
    await until(() => outcomes.length >= 12)
    await mapping.stop()
    return { outcomes: outcomes.slice(0, 12), lost: mapping.counts.lostAnswers > 0 }
  }
  const first = await run('seeded-1')
  expect(new Set(first.outcomes).size).toBeGreaterThan(1)
  expect(first.lost).toBe(true)
  expect(await run('seeded-2')).toEqual(first)
})
