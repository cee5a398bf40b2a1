import { SendMessageCommand } from '@aws-sdk/client-sqs'
import { recordHandler, type RecordHandlerOptions, type SqsHandler, snsTopic } from 'lineclear'
import { type LocalCloud, mapQueue, startLocalCloud } from 'lineclear/local'
import { memoryStore, snsWrapped, sqsEvent, sqsRecord } from 'lineclear/testing'
import * as v from 'valibot'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { lambdaContext } from '../../deliver/lambdaContext.ts'
import { quietLogger } from '../../deliver/quietLogger.ts'

let cloud: LocalCloud
beforeAll(async () => {
  cloud = await startLocalCloud(
    {
      queues: {
        orders: { visibilityTimeout: 1, deadLetter: { queue: 'dead', maxReceiveCount: 100 } },
        dead: {},
        broken: { visibilityTimeout: 30 },
      },
    },
    { logger: quietLogger() },
  )
})
afterAll(() => cloud.stop())

type Payload = { readonly n: number }
const TOPIC = 'arn:aws:sns:eu-west-1:123456789012:orders'

function consumer(
  work: (payload: Payload, attempt: number) => unknown,
  options: Partial<RecordHandlerOptions> = {},
): { handler: SqsHandler; runs: number[]; logger: ReturnType<typeof quietLogger> } {
  const runs: number[] = []
  const logger = quietLogger()
  const handler = recordHandler(
    {
      name: 'orders',
      store: memoryStore(),
      logger,
      clients: { sqs: cloud.sqs },
      queueUrl: cloud.queueUrl('orders'),
      envelopes: [snsTopic(TOPIC)],
      ...options,
    },
    async (payload, ctx) => {
      runs.push((payload as Payload).n)
      ctx.logger.info('at work', payload as Payload)
      await work(payload as Payload, ctx.attempt)
    },
  )
  return { handler, runs, logger }
}

const nothing = (): void => {}
const ascending = (a: number, b: number): number => a - b

function throwNothing(): Promise<void> {
  const { promise, reject } = Promise.withResolvers<void>()
  reject()
  return promise
}

const failuresOf = async (call: ReturnType<SqsHandler>): Promise<readonly string[]> =>
  (await call).batchItemFailures.map(({ itemIdentifier }) => itemIdentifier)

/** Traps that concern batches; those that concern keys are in scenarios.ts. */
describe('trap', () => {
  it('i: a redelivery after its idempotency record has expired is run again', async () => {
    expect(() => consumer(nothing, { retention: '1h' })).toThrow(/at least 1 day/)
    const { handler, runs } = consumer(nothing, {
      retention: '2d',
      deadLetterQueueUrl: cloud.queueUrl('dead'),
    })
    const old = sqsRecord({ n: 1 }, { sentAt: Date.now() - 3 * 86_400_000 })
    await handler(sqsEvent(old), lambdaContext())
    expect(runs).toEqual([])
  })

  it('j: the second of two messages with one key in a batch is reported as failed', async () => {
    const { handler, runs } = consumer(nothing, { id: () => 'same' })
    expect(await failuresOf(handler(sqsEvent({ n: 1 }, { n: 1 }), lambdaContext()))).toEqual([])
    expect(runs).toEqual([1])
  })

  it('k: a batch whose records all fail throws, and the response cannot be read', async () => {
    const { handler } = consumer(throwNothing, {
      retry: { transport: 'visibility' },
    })
    const event = sqsEvent({ n: 1 }, { n: 2 })
    const failures = await failuresOf(handler(event, lambdaContext()))
    expect(failures.toSorted()).toEqual(event.Records.map(({ messageId }) => messageId).toSorted())
  })

  it('l: one malformed body fails the batch', async () => {
    const { handler, runs } = consumer(nothing, { deadLetterQueueUrl: cloud.queueUrl('dead') })
    const event = sqsEvent({ n: 1 }, '{"n":', { n: 3 })
    expect(await failuresOf(handler(event, lambdaContext()))).toEqual([])
    expect(runs.toSorted(ascending)).toEqual([1, 3])
  })

  it('m: FIFO: a failed group stops the other groups, and is remembered in the next invocation', async () => {
    const { handler, runs } = consumer(
      ({ n }, attempt) => {
        if (n === 1 && attempt === 1) throw new Error('once')
      },
      { retry: { delay: () => 0 } },
    )
    const of = (n: number, fifoGroup: string) => sqsRecord({ n }, { fifoGroup })
    const event = sqsEvent(of(1, 'a'), of(2, 'a'), of(3, 'b'), of(4, 'b'))
    const [first, second] = event.Records
    expect(await failuresOf(handler(event, lambdaContext()))).toEqual([
      first?.messageId,
      second?.messageId,
    ])
    expect(runs.toSorted(ascending)).toEqual([1, 3, 4])
    expect(await failuresOf(handler(sqsEvent(first, second), lambdaContext()))).toEqual([])
    expect(runs.slice(3)).toEqual([1, 2])
  })

  it('n: SNS and direct messages in one batch have two shapes', async () => {
    const { handler, runs } = consumer(nothing)
    const event = sqsEvent({ n: 1 }, snsWrapped({ n: 2 }, { topicArn: TOPIC }), { n: 3 })
    expect(await failuresOf(handler(event, lambdaContext()))).toEqual([])
    expect(runs.toSorted(ascending)).toEqual([1, 2, 3])
  })

  it.each(['standard', 'FIFO'])(
    'o: an asynchronous schema that is not of one vendor, on a %s queue',
    async (kind) => {
      const schema = v.objectAsync({
        n: v.pipeAsync(
          v.number(),
          v.checkAsync(async (n) => n < 10),
        ),
      })
      const runs: number[] = []
      const handler = recordHandler(
        {
          name: 'orders',
          store: memoryStore(),
          logger: quietLogger(),
          schema,
          clients: { sqs: cloud.sqs },
          queueUrl: cloud.queueUrl('orders'),
          deadLetterQueueUrl: cloud.queueUrl('dead'),
        },
        ({ n }) => void runs.push(n),
      )
      const options = kind === 'FIFO' ? { fifoGroup: 'g' } : {}
      await handler(sqsEvent(...[1, 99, 3].map((n) => sqsRecord({ n }, options))), lambdaContext())
      expect(runs).toEqual([1, 3])
    },
  )

  it('q: concurrent records mix up their log keys', async () => {
    const { handler, logger } = consumer(() => new Promise((resolve) => setTimeout(resolve, 5)))
    const event = sqsEvent(...Array.from({ length: 10 }, (_, n) => ({ n })))
    await handler(event, lambdaContext())
    const seen = logger.lines
      .filter(({ message }) => message === 'at work')
      .map(({ n, uniquerequestid }) => [n, uniquerequestid])
    expect(seen).toEqual(event.Records.map(({ messageId }, n) => [n, messageId]))
  })

  it('r: a message that is resent never reaches the dead-letter queue, as each copy is new', async () => {
    const { handler, runs } = consumer(
      () => {
        throw new Error('no luck')
      },
      { retry: { maxAttempts: 3, delay: () => 0 } },
    )
    const before = cloud.inspectQueue('dead').ready.length
    await cloud.sqs.send(
      new SendMessageCommand({ QueueUrl: cloud.queueUrl('orders'), MessageBody: '{"n":1}' }),
    )
    const mapping = mapQueue({ cloud, queue: 'orders', handler, logger: quietLogger() })
    await mapping.drained({ timeout: '10m' })
    await mapping.stop()
    expect(runs).toEqual([1, 1, 1])
    expect(cloud.inspectQueue('dead').ready).toHaveLength(before + 1)
  })

  it('s: a malformed partial response passes in the emulator, and fails the batch on AWS', async () => {
    const QueueUrl = cloud.queueUrl('broken')
    await cloud.sqs.send(new SendMessageCommand({ QueueUrl, MessageBody: '{}' }))
    let answered = 0
    const handler = async () => {
      answered += 1
      return { batchItemFailures: [{ itemIdentifier: '' }] }
    }
    const mapping = mapQueue({ cloud, queue: 'broken', handler, logger: quietLogger() })
    await expect.poll(() => answered).toBe(1)
    await expect.poll(() => cloud.inspectQueue('broken').inFlight.length).toBe(1)
    await mapping.stop()
    expect(mapping.counts.deleted).toBe(0)
  })
})
