import type { SQSClient } from '@aws-sdk/client-sqs'
import type { SQSRecord } from 'aws-lambda'
import {
  defineFlow,
  type HandlerResult,
  type RecordContext,
  recordHandler,
  type RecordHandlerOptions,
  s3Events,
  TerminalError,
} from 'lineclear'
import { memoryCloud, memoryObjects, sqsRecord } from 'lineclear/testing'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { z } from 'zod'
import type { SqsHandler } from '../../src/library/entries/consumer/recordHandler.ts'
import { S3_PUT } from '../record/events/samples.ts'
import { lambdaContext } from './lambdaContext.ts'
import { quietLogger } from './quietLogger.ts'

const SEND = 'SendMessageBatchCommand'
const HIDE = 'ChangeMessageVisibilityBatchCommand'
const cloudOf = () => memoryCloud({ queues: { work: {}, dead: {} } })
type Cloud = ReturnType<typeof cloudOf>

beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] }))
afterEach(() => void vi.useRealTimers())

/** A client that gives no answer to one command, and does not heed the signal that it gets. */
function silentAt(cloud: Cloud, command: string, called: () => void): SQSClient {
  const send = async (given: object, ...rest: unknown[]): Promise<unknown> => {
    if (given.constructor.name !== command)
      return Reflect.apply(cloud.clients.sqs.send, cloud.clients.sqs, [given, ...rest])
    called()
    return new Promise(() => {})
  }
  return { config: cloud.clients.sqs.config, send } as never
}

interface Case {
  readonly silent?: string
  /** Default: any payload. */
  readonly record?: SQSRecord
  readonly options?: (cloud: Cloud, called: () => void) => Partial<RecordHandlerOptions>
  readonly deadLetterQueueUrl?: object
  /** The call belongs to the claim, which the records of a batch make together: its neighbours have no end either. */
  readonly inClaim?: true
  readonly handle?: (payload: unknown, ctx: RecordContext) => HandlerResult
}

const terminal = (): never => {
  throw new TerminalError('no')
}
const { Records: s3Records } = JSON.parse(S3_PUT) as { Records: object[] }
const body = 'x'.repeat(10)
const moved = memoryObjects().move(body).carried

const CASES: Readonly<Record<string, Case>> = {
  'the copy of a retry': { silent: SEND, handle: () => Promise.reject(new Error('not yet')) },
  'a dead letter': { silent: SEND, handle: terminal },
  'the policy of the queue': {
    silent: 'GetQueueAttributesCommand',
    deadLetterQueueUrl: {},
    handle: terminal,
  },
  'the dead letter of a refused message': { silent: SEND, record: sqsRecord('{no JSON') },
  'the parts of a notification': {
    inClaim: true,
    silent: SEND,
    record: sqsRecord({ Records: [...s3Records, ...s3Records] }),
    options: () => ({ envelopes: [s3Events({ buckets: 'any' })] }),
  },
  'a message of the handler': {
    silent: SEND,
    handle: (_, ctx) => ctx.send('https://sqs.eu-west-1.amazonaws.com/1/next', 1),
  },
  'the hiding of a record': {
    silent: HIDE,
    options: () => ({ retry: { transport: 'visibility', delay: '5s' } }),
    handle: () => Promise.reject(new Error('not yet')),
  },
  'a claim': {
    inClaim: true,
    options: ({ store }, called) => ({
      store: {
        ...store,
        create: async (items) => {
          if (!items.some(({ pk }) => pk.endsWith('/silent'))) return store.create(items)
          called()
          return new Promise(() => {})
        },
      },
    }),
  },
  'the end of a record': {
    inClaim: true,
    options: ({ store }, called) => ({
      store: {
        ...store,
        update: async (updates) => {
          if (!updates.some(({ key }) => key.pk.endsWith('/silent'))) return store.update(updates)
          called()
          return new Promise(() => {})
        },
      },
    }),
  },
  'a payload in S3': {
    inClaim: true,
    record: sqsRecord(1, {
      attributes: {
        lineclear: JSON.stringify({ format: 1, resendNumber: 0, hops: 0, payload: moved }),
      },
    }),
    options: (_, called) => ({
      offload: { ...memoryObjects(), read: async () => (called(), new Promise(() => {})) },
    }),
  },
}

/** Lets the few milliseconds pass for which writes wait for each other. */
async function until<Value>(given: Promise<Value>): Promise<Value> {
  const state = { over: false }
  void given.finally(() => (state.over = true)).catch(() => {})
  while (!state.over) {
    vi.advanceTimersByTime(1)
    await new Promise(setImmediate)
  }
  return given
}

/** Delivers, and lets the time pass once the silent call is made and the good record has ended. */
async function answerOf(handler: SqsHandler, Records: SQSRecord[], ready: Promise<unknown>) {
  const answer = handler({ Records }, lambdaContext(30_000))
  await until(ready)
  vi.advanceTimersByTime(29_000)
  return until(answer)
}

describe('a call that is never answered, by a client that has no limit of its own', () => {
  it.each(Object.entries(CASES))(
    '%s: the finished neighbour is acknowledged in time',
    async (_, given) => {
      const cloud = cloudOf()
      const [called, ended] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
      const handler = recordHandler(
        {
          name: 'orders',
          store: cloud.store,
          logger: quietLogger(),
          queueUrl: cloud.queueUrl('work'),
          ...(given.deadLetterQueueUrl ?? { deadLetterQueueUrl: cloud.queueUrl('dead') }),
          clients: { sqs: silentAt(cloud, given.silent ?? '', called.resolve) },
          onSettled: ({ kind }) => void (kind === 'completed' && ended.resolve()),
          ...given.options?.(cloud, called.resolve),
        },
        (payload, ctx) => (payload === 'good' ? undefined : given.handle?.(payload, ctx)),
      )
      const good = sqsRecord('"good"', { messageId: 'good', receiveCount: 2 })
      const bad = { ...(given.record ?? sqsRecord('1')), messageId: 'silent' }
      const first = sqsRecord('"good"', { messageId: 'first' })
      const records = [bad, first, good]
      const ready = Promise.all([called.promise, given.inClaim ? undefined : ended.promise])
      const { batchItemFailures } = await answerOf(handler, records, ready)
      const kept = batchItemFailures.map(({ itemIdentifier }) => itemIdentifier)
      expect(given.inClaim ? kept.filter((id) => id === 'silent') : kept).toEqual(['silent'])
    },
  )

  it('an answer for several runs', async () => {
    const cloud = cloudOf()
    const called = Promise.withResolvers<void>()
    const schema = z.object({ id: z.string(), key: z.string().optional() })
    const flowWith = (sqs: SQSClient) =>
      defineFlow({
        name: 'trip',
        store: cloud.store,
        logger: quietLogger(),
        clients: { sqs },
        key: ({ key = '' }) => key,
        stages: { book: { schema, queueUrl: cloud.queueUrl('work') } },
        awaitingSteps: { paid: { schema, id: ({ id }) => id, queueUrl: cloud.queueUrl('dead') } },
      })
    const book = flowWith(cloud.clients.sqs).stageHandler('book', (_, ctx) =>
      ctx.awaitStep('paid', 'p-1', () => {}),
    )
    const runs = ['a', 'b'].map((key) => sqsRecord({ id: 'x', key }))
    await until(book({ Records: runs }, lambdaContext()))
    const silent = flowWith(silentAt(cloud, SEND, called.resolve))
    const paid = silent.answerHandler('paid', () => {})
    const answer = sqsRecord({ id: 'p-1' }, { messageId: 'answer' })
    const { batchItemFailures } = await answerOf(paid, [answer], called.promise)
    expect(batchItemFailures).toEqual([{ itemIdentifier: 'answer' }])
  })
})
