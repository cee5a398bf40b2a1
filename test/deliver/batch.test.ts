import { SQSClient } from '@aws-sdk/client-sqs'
import type { SQSEvent, SQSRecord } from 'aws-lambda'
import {
  ConfigError,
  type RecordHandlerOptions,
  recordHandler,
  type Settlement,
  StaleError,
} from 'lineclear'
import { memoryStore, sqsEvent } from 'lineclear/testing'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { lambdaContext } from './lambdaContext.ts'
import { quietLogger } from './quietLogger.ts'

const Order = z.object({ n: z.number() })

function counting(options: Partial<RecordHandlerOptions<typeof Order>> = {}) {
  const store = memoryStore()
  const logger = quietLogger()
  const settled: Settlement['kind'][] = []
  const runs: number[] = []
  const handler = recordHandler(
    {
      name: 'orders',
      store,
      logger,
      schema: Order,
      onSettled: ({ kind }) => settled.push(kind),
      ...options,
    },
    async ({ n }, ctx) => {
      runs.push(n)
      await ctx.write('count', { TableName: 'sums', Key: { id: 'all' }, add: { n } })
    },
  )
  return { handler, store, logger, settled, runs }
}

const payloads = (count: number): { n: number }[] =>
  Array.from({ length: count }, (_, index) => ({ n: index + 1 }))

function received(event: SQSEvent, times: number): SQSEvent {
  const again = (record: SQSRecord): SQSRecord => ({
    ...record,
    attributes: { ...record.attributes, ApproximateReceiveCount: String(times) },
  })
  return { Records: event.Records.map(again) }
}

describe('a batch', () => {
  it.each([1, 2, 3, 10, 25, 26, 101])(
    'of %i records runs each once, and replays none',
    async (count) => {
      const { handler, store, runs, settled } = counting()
      const event = sqsEvent(...payloads(count))
      const first = await handler(event, lambdaContext())
      const second = await handler(received(event, 2), lambdaContext())
      expect([first, second]).toEqual([{ batchItemFailures: [] }, { batchItemFailures: [] }])
      expect(runs.toSorted((a, b) => a - b)).toEqual(payloads(count).map(({ n }) => n))
      expect(store.userItems('sums')).toEqual([{ id: 'all', n: (count * (count + 1)) / 2 }])
      expect(settled.filter((kind) => kind === 'completed')).toHaveLength(count)
      expect(settled.filter((kind) => kind === 'duplicate')).toHaveLength(count)
    },
  )

  it('may be empty', async () => {
    expect(await counting().handler({ Records: [] }, lambdaContext())).toEqual({
      batchItemFailures: [],
    })
  })

  it('runs a record once that it contains twice', async () => {
    const { handler, runs, settled } = counting()
    const event = sqsEvent({ n: 1 }, { n: 2 })
    const twice = { Records: [...event.Records, ...event.Records] }
    expect(await handler(twice, lambdaContext())).toEqual({ batchItemFailures: [] })
    expect(runs).toEqual([1, 2])
    expect(settled).toEqual(['completed', 'completed', 'duplicate', 'duplicate'])
  })

  it('runs one of two concurrent deliveries, and keeps the other on the queue', async () => {
    const { handler, runs, settled } = counting({ clients: { sqs: unreachable() } })
    const event = sqsEvent({ n: 1 })
    const answers = await Promise.all([
      handler(event, lambdaContext()),
      handler(event, lambdaContext()),
    ])
    expect(runs).toEqual([1])
    expect(settled.toSorted()).toEqual(['completed', 'deferred'])
    const kept = answers.flatMap(({ batchItemFailures }) => batchItemFailures)
    expect(kept).toEqual([{ itemIdentifier: event.Records[0]?.messageId }])
  })

  it('runs at most `concurrency` handlers at once', async () => {
    let [running, most] = [0, 0]
    const handler = recordHandler(
      { name: 'orders', store: memoryStore(), logger: quietLogger(), concurrency: 3 },
      async () => {
        most = Math.max(most, (running += 1))
        await new Promise((resolve) => setTimeout(resolve, 1))
        running -= 1
      },
    )
    await handler(sqsEvent(...payloads(60)), lambdaContext())
    expect(most).toBe(3)
  })
})

describe('time', () => {
  it.each([0, -5])('%i ms left: nothing is begun, and no attempt is spent', async (left) => {
    const { handler, store, runs } = counting()
    const event = sqsEvent({ n: 1 }, { n: 2 })
    const { batchItemFailures } = await handler(event, lambdaContext(left))
    expect(batchItemFailures).toHaveLength(2)
    expect(runs).toEqual([])
    expect(store.items()).toEqual([])
  })

  it.each([undefined, Number.NaN])('%j ms left: runs, with the longest lease', async (left) => {
    const { handler, runs } = counting()
    expect(await handler(sqsEvent({ n: 1 }), lambdaContext(left))).toEqual({
      batchItemFailures: [],
    })
    expect(runs).toEqual([1])
  })

  it('returns records that were not started without counting an attempt, and keeps finished ones', async () => {
    const store = memoryStore()
    const handler = recordHandler(
      {
        name: 'orders',
        store,
        logger: quietLogger(),
        concurrency: 1,
        clients: { sqs: unreachable() },
      },
      async (_, ctx) => {
        await new Promise((resolve) => ctx.signal.addEventListener('abort', resolve))
      },
    )
    const event = sqsEvent({ n: 1 }, { n: 2 })
    const { batchItemFailures } = await handler(event, lambdaContext(250))
    expect(batchItemFailures).toEqual([{ itemIdentifier: event.Records[1]?.messageId }])
    const attempts = store.items().map(({ status, attempt }) => [status, attempt])
    expect(attempts).toEqual([
      [undefined, 1],
      ['inProgress', 0],
    ])
  })

  it('does not wait for a handler that ignores the signal', async () => {
    const { promise: never } = Promise.withResolvers<void>()
    const settled: Settlement['kind'][] = []
    const handler = recordHandler(
      {
        name: 'orders',
        store: memoryStore(),
        logger: quietLogger(),
        schema: Order,
        clients: { sqs: unreachable() },
        onSettled: ({ kind }) => settled.push(kind),
      },
      ({ n }) => (n === 1 ? never : undefined),
    )
    const event = sqsEvent({ n: 1 }, { n: 2 })
    const { batchItemFailures } = await handler(event, lambdaContext(200))
    expect(batchItemFailures).toEqual([{ itemIdentifier: event.Records[0]?.messageId }])
    expect(settled.toSorted()).toEqual(['completed', 'timedOut'])
  })
})

describe('a handler that finds newer data', () => {
  it('settles its record as stale, also for later copies', async () => {
    const settled: Settlement['kind'][] = []
    const handler = recordHandler(
      {
        name: 'orders',
        store: memoryStore(),
        logger: quietLogger(),
        onSettled: ({ kind }) => settled.push(kind),
      },
      () => {
        throw new StaleError('the address is newer')
      },
    )
    const event = sqsEvent({ n: 1 })
    await handler(event, lambdaContext())
    await handler(event, lambdaContext())
    expect(settled).toEqual(['stale', 'duplicate'])
  })
})

describe('an event that is not of SQS', () => {
  it.each([
    [{}, 'an object without a list of Records'],
    [{ Records: [{ EventSource: 'aws:sns' }] }, 'aws:sns'],
    [{ Records: [{ eventSource: 'aws:s3' }] }, 'aws:s3'],
    [{ httpMethod: 'POST' }, 'an HTTP request'],
    [null, 'null'],
    ['text', 'a text'],
  ])('%j is refused with an error that says what it is', async (event, expected) => {
    const answer: Promise<unknown> = Reflect.apply(counting().handler, undefined, [
      event,
      lambdaContext(),
    ])
    await expect(answer).rejects.toThrow(ConfigError)
    await expect(answer).rejects.toThrow(expected)
  })
})

describe('a record without a body', () => {
  it('stays on the queue, and no other record does', async () => {
    const { handler, runs } = counting()
    const event = sqsEvent({ n: 1 }, { n: 2 }, { n: 3 })
    const broken = event.Records.map((record, index) =>
      index === 1 ? ({ ...record, body: undefined } as unknown as SQSRecord) : record,
    )
    const { batchItemFailures } = await handler({ Records: broken }, lambdaContext())
    expect(batchItemFailures).toEqual([{ itemIdentifier: event.Records[1]?.messageId }])
    expect(runs).toEqual([1, 3])
  })
})

describe('a mistake in the store', () => {
  it('while a record is claimed fails that record, and not those that are finished', async () => {
    const store = memoryStore()
    const { create } = store
    let calls = 0
    store.create = async (items) => {
      // 25 are claimed together, and a hundred meanwhile; the next hundred while those run.
      if ((calls += 1) > 2) throw new Error('mistake')
      return create(items)
    }
    const { handler, runs } = counting({ store })
    const event = sqsEvent(...payloads(126))
    const { batchItemFailures } = await handler(event, lambdaContext())
    expect(batchItemFailures).toEqual([{ itemIdentifier: event.Records[125]?.messageId }])
    expect(runs).toHaveLength(125)
  })

  it('while a record is settled fails that record, and not those that are finished', async () => {
    const store = memoryStore()
    const { update } = store
    const { promise: written, resolve } = Promise.withResolvers<void>()
    let calls = 0
    store.update = async (updates) => {
      if ((calls += 1) > 1) throw new Error('mistake')
      resolve()
      return update(updates)
    }
    const options = { name: 'orders', store, logger: quietLogger(), schema: Order }
    // Each end is a write of its own.
    const handler = recordHandler(options, ({ n }) => (n === 2 ? written : undefined))
    const event = sqsEvent({ n: 1 }, { n: 2 })
    const { batchItemFailures } = await handler(event, lambdaContext())
    expect(batchItemFailures).toEqual([{ itemIdentifier: event.Records[1]?.messageId }])
  })
})

describe('the log', () => {
  it('says that a record succeeded once its end is stored', async () => {
    const order: string[] = []
    const store = memoryStore()
    const { update } = store
    const logger = quietLogger()
    const handler = recordHandler(
      {
        name: 'orders',
        logger: { ...logger, info: (message) => order.push(message) },
        store: {
          ...store,
          update: (updates) => {
            order.push('end written')
            return update(updates)
          },
        },
      },
      () => {},
    )
    await handler(sqsEvent({ n: 1 }), lambdaContext())
    expect(order).toEqual(['end written', 'succeeded'])
  })

  it('has the fields of its own record, also when records run concurrently', async () => {
    const logger = quietLogger()
    const handler = recordHandler(
      { name: 'orders', store: memoryStore(), logger },
      async (_, ctx) => {
        await new Promise((resolve) => setTimeout(resolve, 1))
        ctx.logger.info('mine', { id: ctx.uniqueRequestId })
      },
    )
    await handler(sqsEvent(...payloads(20)), lambdaContext())
    const mine = logger.lines.filter(({ message }) => message === 'mine')
    expect(new Set(mine.map(({ id }) => id)).size).toBe(20)
    for (const line of mine)
      expect(line).toMatchObject({ consumer: 'orders', uniquerequestid: line['id'] })
  })

  it('warns once of a body that only looks like an SNS notification, and names the cure', async () => {
    const { handler, logger, runs } = counting()
    const fake = {
      Type: 'Notification',
      TopicArn: 'arn:aws:sns:a:1:t',
      MessageId: 'm',
      Message: '{"n":9}',
    }
    const [record] = sqsEvent({ ...fake, n: 1 }).Records
    if (record === undefined) throw new Error('no record')
    await handler({ Records: [record] }, lambdaContext())
    await handler(sqsEvent({ ...fake, n: 2 }), lambdaContext())
    expect(runs).toEqual([1, 2])
    const warnings = logger.lines.filter(({ message }) => message.includes('snsTopic'))
    expect(warnings).toMatchObject([{ topicArn: 'arn:aws:sns:a:1:t' }])
  })
})

describe('an observer', () => {
  it('that throws changes nothing', async () => {
    const { handler } = counting({
      onSettled: () => {
        throw new Error('mistake')
      },
    })
    expect(await handler(sqsEvent({ n: 1 }), lambdaContext())).toEqual({ batchItemFailures: [] })
  })
})

/** A queue that cannot be reached: hiding a message fails, and the record comes back by itself. */
function unreachable(): SQSClient {
  return new SQSClient({
    endpoint: 'http://127.0.0.1:1',
    region: 'eu-west-1',
    credentials: { accessKeyId: 'a', secretAccessKey: 'b' },
    maxAttempts: 1,
  })
}
