import { DeleteMessageCommand, type Message } from '@aws-sdk/client-sqs'
import { GetItemCommand } from '@aws-sdk/client-dynamodb'
import { PublishCommand } from '@aws-sdk/client-sns'
import {
  RetryableError,
  type Store,
  StoreUnavailableError,
  TerminalError,
  snsTopic,
} from 'lineclear'
import { dynamoDbStore } from 'lineclear/dynamodb'
import { type LocalCloud, mapQueue, type MappingOptions, type QueueMapping } from 'lineclear/local'
import { memoryStore } from 'lineclear/testing'
import { afterAll, beforeAll, describe, expect, it, type TestContext } from 'vitest'
import { z } from 'zod'
import { quietLogger } from '../../deliver/quietLogger.ts'
import { expectDeliveries, expectLastDelivery } from '../../proof/hostile/expectDeliveries.ts'
import { calmOnly, inCalm } from '../../proof/hostile/mode.ts'
import {
  attributeOf,
  carriedBy,
  consumerOf,
  laneOf,
  receive,
  send,
  startFixtureCloud,
  type Watched,
} from './fixtures.ts'

let shared: LocalCloud
let lanes = 0
beforeAll(async () => {
  shared = await startFixtureCloud()
})
afterAll(() => shared.stop())

/** Queues and topics that no other test uses, and a mapping that ends with the test. */
function laneFor({ onTestFinished }: TestContext) {
  const cloud = laneOf(shared, lanes++)
  return {
    cloud,
    map: ({ handler }: Watched, more: Partial<MappingOptions> = {}): QueueMapping => {
      const logger = quietLogger()
      const consumer = { cloud, queue: 'orders', handler, functionTimeout: 5_000, logger }
      const mapping = mapQueue({ ...consumer, ...more })
      onTestFinished(mapping.stop)
      return mapping
    },
  }
}

async function emptied(cloud: LocalCloud, queue: string): Promise<Message[]> {
  const messages = await receive(cloud, queue)
  for (const { ReceiptHandle } of messages) {
    await cloud.sqs.send(
      new DeleteMessageCommand({ QueueUrl: cloud.queueUrl(queue), ReceiptHandle }),
    )
  }
  return messages
}

async function stock(sku: string): Promise<string | undefined> {
  const { Item } = await shared.dynamodb.send(
    new GetItemCommand({ TableName: 'stock', Key: { sku: { S: sku } } }),
  )
  return Item?.['n']?.N
}

describe.concurrent('a failing record', () => {
  it('is resent, with the id, the count and the first sending, after a growing delay', async (test) => {
    const { cloud, map } = laneFor(test)
    const seen: { id: string; retry: number; attempt: number; sentAt: number; at: number }[] = []
    const watched = consumerOf(cloud, async (_, ctx) => {
      const { uniqueRequestId, envelope, attempt, sentAt } = ctx
      const retry = envelope.carried.resendNumber
      seen.push({ id: uniqueRequestId, retry, attempt, sentAt, at: Date.now() })
      if (attempt < 3) throw new Error('not yet')
    })
    await send(cloud, 'orders', { a: 1 })
    await map(watched).drained({ timeout: '10m' })
    expect(seen.map(({ retry, attempt }) => [retry, attempt])).toEqual([
      [0, 1],
      [1, 2],
      [2, 3],
    ])
    expect(new Set(seen.map(({ id }) => id)).size).toBe(1)
    expect(new Set(seen.map(({ sentAt }) => sentAt)).size).toBe(1)
    const [first = 0, second = 0, third = 0] = seen.map(({ at }) => at)
    expect(third - second).toBeGreaterThan(second - first)
    expectDeliveries(watched.settled, ['resent', 'resent', 'completed'])
  })

  it('does not repeat the others of its batch, nor its own effects', async (test) => {
    const { cloud, map } = laneFor(test)
    const runs = new Map<unknown, number>()
    const watched = consumerOf(cloud, async ({ n }, ctx) => {
      runs.set(n, (runs.get(n) ?? 0) + 1)
      await ctx.write('add', { TableName: 'stock', Key: { sku: 'batch' }, add: { n: 1 } })
      if (n === 3 && ctx.attempt === 1) throw new Error('once')
    })
    for (let n = 0; n < 10; n++) await send(cloud, 'orders', { n })
    await map(watched).drained({ timeout: '10m' })
    expect([...runs].filter(([, times]) => times !== 1)).toEqual([[3, 2]])
    expect(await stock('batch')).toBe('10')
  })

  it('carries ten attributes of the sender through re-sends, in the wrapped form', async (test) => {
    const { cloud, map } = laneFor(test)
    const attributes = Object.fromEntries(
      Array.from({ length: 10 }, (_, n) => [`a${n}`, { DataType: 'String', StringValue: `v${n}` }]),
    )
    const seen: unknown[] = []
    const watched = consumerOf(cloud, (_, ctx) => {
      seen.push({ ...ctx.envelope.attributes, body: ctx.envelope.body })
      if (ctx.attempt === 1) throw new RetryableError('again', { retryAfter: 0 })
    })
    await send(cloud, 'orders', '{"x": 1 }', { attributes })
    await map(watched).drained({ timeout: '10m' })
    expect(seen).toHaveLength(2)
    expect(seen[1]).toEqual(seen[0])
    expect(seen[0]).toMatchObject({ body: '{"x": 1 }', a9: { type: 'String', value: 'v9' } })
  })

  it(
    'stays on its queue when the copy was not accepted',
    calmOnly('its faults strike at certain calls'),
    async (test) => {
      const { cloud, map } = laneFor(test)
      const watched = consumerOf(
        cloud,
        (_, ctx) => {
          if (ctx.attempt === 1) throw new RetryableError('again', { retryAfter: 0 })
        },
        { retry: { delay: () => 0 } },
      )
      await send(cloud, 'orders', { a: 1 })
      const before = cloud.inspectQueue('orders').ready.length
      expect(before).toBe(1)
      // Call 1 claims, call 2 writes the resend, call 3 sends the copy: three throttles use up the SDK's tries.
      const faults = {
        at: [1, 2, 3].map((attempt) => ({
          invocation: 1,
          call: 3,
          attempt,
          fault: 'throttle' as const,
        })),
      }
      await map(watched, { faults, functionTimeout: 10_000 }).drained({ timeout: '10m' })
      expectDeliveries(watched.settled, ['retrying', 'completed'])
    },
  )

  it('comes back by visibility when asked to, without a copy', async (test) => {
    const { cloud, map } = laneFor(test)
    const attempts: number[] = []
    const watched = consumerOf(
      cloud,
      (_, ctx) => {
        attempts.push(ctx.attempt, ctx.envelope.carried.resendNumber)
        if (ctx.attempt === 1) throw new Error('once')
      },
      { retry: { transport: 'visibility', delay: () => 1_000 } },
    )
    await send(cloud, 'orders', { a: 1 })
    await map(watched).drained({ timeout: '10m' })
    expect(attempts).toEqual([1, 0, 2, 0])
    expectDeliveries(watched.settled, ['retrying', 'completed'])
  })
})

describe.concurrent('a record that cannot succeed', () => {
  it('is dead-lettered after its last attempt, with why, and its copies do nothing', async (test) => {
    const { cloud, map } = laneFor(test)
    const watched = consumerOf(cloud, () => {
      throw new Error('no luck')
    })
    await send(cloud, 'orders', '{"a":1}', {
      attributes: { color: { DataType: 'String', StringValue: 'red' } },
    })
    const mapping = map(watched)
    await mapping.drained({ timeout: '10m' })
    expectDeliveries(watched.settled, ['resent', 'resent', 'deadLettered'])
    const [dead] = await receive(cloud, 'dead')
    expect(dead?.Body).toBe('{"a":1}')
    expect(attributeOf(dead, 'color')).toBe('red')
    expect(carriedBy(dead)).toMatchObject({
      reason: 'exhausted',
      error: 'Error: no luck',
      attempts: 3,
      death: 1,
    })
    // Any later copy is a duplicate of the dead request.
    const id = attributeOf(dead, 'uniquerequestid') ?? ''
    await send(cloud, 'orders', '{"a":1}', {
      attributes: { uniquerequestid: { DataType: 'String', StringValue: id } },
    })
    await mapping.drained({ timeout: '10m' })
    expectLastDelivery(watched.settled, { kind: 'alreadyDeadLettered' })
  })

  it('runs again when its dead letter is redriven, and repeats no effect', async (test) => {
    const { cloud, map } = laneFor(test)
    let broken = true
    const watched = consumerOf(cloud, async (_, ctx) => {
      await ctx.write('add', { TableName: 'stock', Key: { sku: 'redriven' }, add: { n: 1 } })
      if (broken) throw new TerminalError('broken')
    })
    await send(cloud, 'orders', { a: 1 })
    const mapping = map(watched)
    await mapping.drained({ timeout: '10m' })
    const [dead] = await emptied(cloud, 'dead')
    broken = false
    const back = { attributes: dead?.MessageAttributes ?? {} }
    await send(cloud, 'orders', dead?.Body ?? '', back)
    await send(cloud, 'orders', dead?.Body ?? '', back)
    await mapping.drained({ timeout: '10m' })
    const kinds = watched.settled.map(({ kind }) => kind)
    expect(kinds.filter((kind) => kind === 'completed')).toHaveLength(1)
    expect(await stock('redriven')).toBe('1')
  })

  it.for([
    ['not JSON', '{"a":', 'not JSON'],
    ['refused by the schema', '{"n":"x"}', 'n: '],
  ] as const)('is dead-lettered at once when it is %s', async ([, body, error], test) => {
    const { cloud, map } = laneFor(test)
    let runs = 0
    const watched = consumerOf(cloud, () => (runs += 1), { schema: z.object({ n: z.number() }) })
    await send(cloud, 'orders', body)
    await send(cloud, 'orders', { n: 1 })
    await map(watched).drained({ timeout: '10m' })
    const [dead] = await receive(cloud, 'dead')
    expect(dead?.Body).toBe(body)
    expect(carriedBy(dead)).toMatchObject({
      reason: 'rejected',
      error: expect.stringContaining(error),
    })
    expect(runs).toBe(1)
  })

  it('is dead-lettered when its id came with another payload before: a forged id suppresses nothing', async (test) => {
    const { cloud, map } = laneFor(test)
    const watched = consumerOf(cloud, () => {})
    const attributes = { uniquerequestid: { DataType: 'String', StringValue: 'forged-1' } }
    await send(cloud, 'orders', { real: false }, { attributes })
    const mapping = map(watched)
    await mapping.drained({ timeout: '10m' })
    await send(cloud, 'orders', { real: true }, { attributes })
    await mapping.drained({ timeout: '10m' })
    const [dead] = await receive(cloud, 'dead')
    expect(dead?.Body).toBe('{"real":true}')
    expect(carriedBy(dead)).toMatchObject({ reason: 'conflict' })
  })

  it('stays on a queue that has no dead-letter queue, and is not run again', async (test) => {
    const { cloud, map } = laneFor(test)
    let runs = 0
    const logger = quietLogger()
    const watched = consumerOf(
      cloud,
      () => {
        runs += 1
        throw new TerminalError('never')
      },
      { queueUrl: cloud.queueUrl('lonely'), logger },
    )
    await send(cloud, 'lonely', { a: 1 })
    map(watched, { queue: 'lonely' })
    await test.expect.poll(() => watched.settled.length).toBeGreaterThan(1)
    expect(runs).toBe(1)
    expect(watched.settled.every(({ kind }) => kind !== 'deadLettered')).toBe(true)
    expect(logger.lines.map(({ error }) => String(error)).join()).toContain('redrive policy')
  })
})

describe.concurrent('messages of a handler', () => {
  it('leave after the other effects, once, under one id, whatever the number of attempts', async (test) => {
    const { cloud, map } = laneFor(test)
    const watched = consumerOf(cloud, async (_, ctx) => {
      await ctx.send(cloud.queueUrl('paid'), { order: 1 })
      await ctx.publish(cloud.topicArn('receipts'), { order: 1 })
      expect(cloud.inspectQueue('paid').ready).toHaveLength(0)
      if (ctx.attempt === 1) throw new RetryableError('again', { retryAfter: 0 })
    })
    await send(cloud, 'orders', { a: 1 })
    // The settlement is the last call; killed before it, the whole handler runs again and sends again.
    const faults = { at: [{ invocation: 2, fault: 'killBeforeDelete' as const }] }
    await map(watched, { faults }).drained({ timeout: '10m' })
    const paid = await emptied(cloud, 'paid')
    inCalm('deliveries', () => expect(paid).toHaveLength(2))
    expect(paid.length).toBeGreaterThanOrEqual(2)
    const direct = paid.find(({ Body }) => Body === '{"order":1}')
    expect(attributeOf(direct, 'uniquerequestid')).toMatch(/^[\w-]{43}$/)
  })

  it('are run once by a consumer, also when they were sent twice', async (test) => {
    const { cloud, map } = laneFor(test)
    const taken: unknown[] = []
    const receipts = consumerOf(cloud, (payload) => taken.push(payload), {
      name: 'receipts',
      queueUrl: cloud.queueUrl('paid'),
      envelopes: [snsTopic(cloud.topicArn('receipts'))],
    })
    const watched = consumerOf(cloud, async (_, ctx) => {
      await ctx.publish(cloud.topicArn('receipts'), { order: 7 })
    })
    await send(cloud, 'orders', { a: 7 })
    // Call 1 claims, call 2 publishes: applied, and the function is killed before it knows.
    const faults = { at: [{ invocation: 1, call: 2, fault: 'killAfter' as const }] }
    await map(watched, { faults }).drained({ timeout: '10m' })
    const second = mapQueue({
      cloud,
      queue: 'paid',
      handler: receipts.handler,
      logger: quietLogger(),
    })
    await second.drained({ timeout: '10m' })
    await second.stop()
    expect(taken).toEqual([{ order: 7 }])
    const kinds = receipts.settled.map(({ kind }) => kind).toSorted()
    expect(kinds.filter((kind) => kind === 'completed')).toEqual(['completed'])
    inCalm('deliveries', () => expect(kinds).toEqual(['completed', 'duplicate']))
  })
})

describe.concurrent('SNS', () => {
  it('is opened for the topics named, with the publisher’s attributes and id', async (test) => {
    const { cloud, map } = laneFor(test)
    const seen: unknown[] = []
    const watched = consumerOf(cloud, (payload, ctx) => {
      seen.push({ payload, source: ctx.envelope.source, color: ctx.envelope.attributes['color'] })
    })
    await cloud.sns.send(
      new PublishCommand({
        TopicArn: cloud.topicArn('placed'),
        Message: '{"a":1}',
        MessageAttributes: { color: { DataType: 'String', StringValue: 'red' } },
      }),
    )
    await map(watched).drained({ timeout: '10m' })
    expect(seen).toEqual([
      { payload: { a: 1 }, source: 'sns', color: { type: 'String', value: 'red' } },
    ])
  })
})

describe.concurrent('FIFO', () => {
  it('keeps the order of a group over failures, and lets other groups pass', async (test) => {
    const { cloud, map } = laneFor(test)
    const done: string[] = []
    const watched = consumerOf(
      cloud,
      ({ id }, ctx) => {
        if (id === 'a1' && ctx.attempt === 1) throw new Error('once')
        done.push(String(id))
      },
      { queueUrl: cloud.queueUrl('steps.fifo'), retry: { delay: () => 1_000 } },
    )
    for (const id of ['a1', 'a2', 'b1', 'a3', 'b2']) {
      await send(cloud, 'steps.fifo', { id }, { group: id.slice(0, 1) })
    }
    await map(watched, { queue: 'steps.fifo' }).drained({ timeout: '10m' })
    expect(done.filter((id) => id.startsWith('a'))).toEqual(['a1', 'a2', 'a3'])
    expect(done.filter((id) => id.startsWith('b'))).toEqual(['b1', 'b2'])
    expect(done.indexOf('b1')).toBeLessThan(done.indexOf('a1'))
    expect(watched.settled.some(({ kind }) => kind === 'resent')).toBe(false)
  })
})

describe.concurrent('an outage of the store', () => {
  it('acknowledges nothing, fails the batch so that polling slows, and loses nothing', async (test) => {
    const { cloud, map } = laneFor(test)
    let runs = 0
    const store = dynamoDbStore({ tableName: 'missing-table', client: cloud.dynamodb })
    const down = consumerOf(cloud, () => (runs += 1), { store })
    await send(cloud, 'orders', { a: 1 })
    const mapping = map(down)
    await test.expect.poll(() => mapping.counts.failedInvocations).toBeGreaterThan(0)
    await mapping.stop()
    expect([runs, mapping.counts.deleted]).toEqual([0, 0])
    const up = consumerOf(cloud, () => (runs += 1))
    await map(up).drained({ timeout: '10m' })
    expect(runs).toBe(1)
  })

  it(
    'in the middle of a batch deletes what is finished, and leaves the rest',
    calmOnly('its store fails at one call, and it counts'),
    async (test) => {
      const { cloud, map } = laneFor(test)
      const runs: unknown[] = []
      const memory = memoryStore()
      let claims = 0
      const store: Store = {
        ...memory,
        create: async (items) => {
          const error = new StoreUnavailableError('the table is throttled')
          const before = claims
          claims += items.length
          const isThrottled = (index: number) => before + index >= 25 && before + index < 30
          const kept = items.filter((_, index) => !isThrottled(index))
          const answers = await memory.create(kept)
          return items.map((item) => answers[kept.indexOf(item)] ?? { kind: 'failed', error })
        },
      }
      const watched = consumerOf(cloud, ({ n }) => runs.push(n), { store })
      for (let n = 0; n < 30; n++) await send(cloud, 'orders', { n })
      const mapping = map(watched, { batchSize: 30, window: '1s' })
      await mapping.drained({ timeout: '10m' })
      expect(mapping.counts.failedInvocations).toBe(1)
      expect(new Set(runs)).toEqual(new Set(Array.from({ length: 30 }, (_, n) => n)))
      expect(runs).toHaveLength(30)
      expect(watched.settled.filter(({ kind }) => kind === 'failed')).toHaveLength(5)
      expect(watched.settled.filter(({ kind }) => kind === 'duplicate')).toHaveLength(0)
    },
  )
})
