import {
  defineFlow,
  eventBridge,
  recordHandler,
  RejectedError,
  RetryableError,
  s3Events,
  snsTopic,
  StaleError,
  TerminalError,
  writeHandler,
  type Settlement,
} from 'lineclear'
import { type MemoryCloud, sqsEvent, type MemoryHandler, sqsRecord } from 'lineclear/testing'
import type { SQSRecord } from 'aws-lambda'
import { z } from 'zod'
import type { Message } from '../../../src/library/protocol/record/message/message.ts'
import { lambdaContext } from '../../deliver/lambdaContext.ts'
import { SENT_AT } from './forms.ts'
import { TOPIC, VICTIM } from './values.ts'

export interface Run {
  readonly id: string
  readonly payload: unknown
}

export interface End {
  readonly settlement: Settlement
  /** None of a record that cannot be read. */
  readonly message: Message<unknown> | undefined
}

export interface Seen {
  readonly cloud: MemoryCloud
  readonly runs: Run[]
  readonly settled: End[]
}

export interface Fuzzed {
  readonly handler: MemoryHandler
  /** One that has to complete, whatever comes beside it. */
  readonly good: SQSRecord
  /** What `good` gives to the handler. */
  readonly payload: unknown
}

type Make = (seen: Seen) => Fuzzed | Promise<Fuzzed>

/** The run that awaits the good answer. */
export const ASKING = 'asking'

const Order = z.object({ key: z.string(), n: z.number().int().optional() })
const Quote = z.object({ quoteId: z.string(), price: z.number() })

function common({ cloud, settled }: Seen) {
  const { store, clients, clock, logger } = cloud
  return {
    store,
    clients,
    clock,
    logger,
    onSettled: (settlement: Settlement, message: Message<unknown> | undefined): void => {
      settled.push({ settlement, message })
    },
  }
}

const queuesOf = ({ cloud }: Seen) => ({
  queueUrl: cloud.queueUrl('work'),
  deadLetterQueueUrl: cloud.queueUrl('dead'),
})
const onQueue = (seen: Seen) => ({ ...common(seen), ...queuesOf(seen) })

const ENDS: readonly (() => Error | undefined)[] = [
  () => undefined,
  () => undefined,
  () => undefined,
  () => new Error('down'),
  () => new RetryableError('busy', { retryAfter: '10s' }),
  () => new TerminalError('never'),
  () => new RejectedError('not for us'),
  () => new StaleError('too late'),
]

/** Succeeds or fails by its payload alone, each time alike; a good one always succeeds. */
function run(seen: Seen, id: string, payload: unknown): void {
  seen.runs.push({ id, payload })
  const body = JSON.stringify(payload) ?? ''
  const error = body.includes('good') ? undefined : ENDS[body.length % ENDS.length]?.()
  if (error !== undefined) throw error
}

const GOOD = { key: 'good', n: 7, id: 'good-id', quoteId: 'of-good', price: 7, at: SENT_AT }
const good = (payload: unknown = GOOD) => sqsRecord(payload, { messageId: VICTIM, sentAt: SENT_AT })
const idOf = (payload: unknown): string => (payload as { id: string }).id

const single =
  (options: (seen: Seen) => object): Make =>
  (seen) => ({
    handler: recordHandler({ name: 'orders', ...onQueue(seen), ...options(seen) }, (payload, ctx) =>
      run(seen, ctx.uniqueRequestId, payload),
    ),
    good: good(),
    payload: GOOD,
  })

/** A consumer of every kind, with what it may be given beside the hostile records. */
export const CONSUMERS: Readonly<Record<string, Make>> = {
  plain: single(() => ({})),
  'by text': (seen) => ({
    ...(single(() => ({ parse: 'text' }))(seen) as Fuzzed),
    payload: JSON.stringify(GOOD),
  }),
  'with a topic': single(() => ({ envelopes: [snsTopic(TOPIC)] })),
  'with every envelope': single(() => ({
    envelopes: [
      snsTopic(TOPIC),
      eventBridge({ sources: ['my.shop'] }),
      s3Events({ buckets: ['my-uploads'] }),
    ],
  })),
  'by id': single(() => ({ id: idOf })),
  'by id, and fields that must agree': single(() => ({ id: idOf, mustAgree: ['n'] })),
  'soon too old': single(() => ({ retry: { maxAge: '1h', maxAttempts: 2 } })),
  'retried by visibility': single(() => ({ retry: { transport: 'visibility' } })),
  'by a schema': single(() => ({ schema: Order.loose() })),
  'returned writes': (seen) => ({
    handler: writeHandler({ name: 'orders', ...onQueue(seen) }, (payload, ctx) => {
      run(seen, ctx.uniqueRequestId, payload)
      return { TableName: 'rows', Key: { id: ctx.uniqueRequestId }, add: { n: 1 } }
    }),
    good: good(),
    payload: GOOD,
  }),
  'a first stage': (seen) => first(seen, {}),
  'a first stage of every request': (seen) => first(seen, { process: 'every' }),
  'a first stage that is taken over': (seen) => first(seen, { onConflict: 'supersede' }),
  'a first stage by id': (seen) =>
    first(seen, {
      id: ({ n = 0 }: { readonly n?: number }) => `n-${n}`,
      sentAt: ({ at }: { readonly at?: unknown }) => at as number,
    }),
  'a last stage': lastStage,
  answers,
}

function trip(seen: Seen, options: object) {
  const queue = queuesOf(seen)
  return defineFlow({
    name: 'trip',
    ...common(seen),
    ...options,
    key: ({ key }: z.infer<typeof Order>) => key,
    stages: {
      first: { schema: Order.loose(), ...queue },
      last: { schema: Order.loose(), ...queue, queueUrl: seen.cloud.queueUrl('last'), final: true },
    },
    awaitingSteps: {
      quote: { schema: Quote.loose(), id: ({ quoteId }) => quoteId, grace: '1m', ...queue },
    },
  })
}

function first(seen: Seen, options: object): Fuzzed {
  const handler = trip(seen, options).stageHandler('first', (payload, ctx) =>
    run(seen, ctx.uniqueRequestId, payload),
  )
  return { handler, good: good(), payload: GOOD }
}

/** The good one is what the first stage has sent. */
async function lastStage(seen: Seen): Promise<Fuzzed> {
  const flow = trip(seen, {})
  const begin = flow.stageHandler('first', (payload, ctx) => ctx.next('last', payload))
  await begin(sqsEvent(good()), lambdaContext())
  const [sent] = seen.cloud.messages('last')
  if (sent === undefined) throw new Error('the first stage has sent nothing')
  const handler = flow.stageHandler('last', (payload, ctx) =>
    run(seen, ctx.uniqueRequestId, payload),
  )
  let record: SQSRecord | undefined
  await seen.cloud.deliver('last', ({ Records: [received] }) => {
    record = received
  })
  if (record === undefined) throw new Error('the message of the first stage was not received')
  const queueArn = seen.cloud.queueArn('work')
  seen.settled.length = 0
  return { handler, good: { ...record, eventSourceARN: queueArn }, payload: GOOD }
}

/** The good one is awaited. */
async function answers(seen: Seen): Promise<Fuzzed> {
  const flow = trip(seen, {})
  const ask = flow.stageHandler('first', (_, ctx) => ctx.awaitStep('quote', 'of-good', () => {}))
  await ask(sqsEvent(sqsRecord(GOOD, { messageId: ASKING, sentAt: SENT_AT })), lambdaContext())
  const handler = flow.answerHandler('quote', (payload, ctx) =>
    run(seen, ctx.uniqueRequestId, payload),
  )
  seen.settled.length = 0
  return { handler, good: good(), payload: GOOD }
}
