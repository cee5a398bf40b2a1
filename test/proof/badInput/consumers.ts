import {
  defineFlow,
  eventBridge,
  recordHandler,
  type RecordHandlerOptions,
  s3Events,
  snsTopic,
} from 'lineclear'
import { sqsEvent } from 'lineclear/testing'
import { z } from 'zod'
import { lambdaContext } from '../../deliver/lambdaContext.ts'
import { type Consumer, type ConsumerHarness, NOW, record } from './consumerHarness.ts'

export const TOPIC = 'arn:aws:sns:eu-west-1:123456789012:orders'

const Order = z.object({
  id: z.string().min(1),
  n: z.number().int().min(0).max(1_000_000),
  kind: z.enum(['book', 'parcel']).optional(),
  tags: z.array(z.string()).max(3).optional(),
})
const NUMBERS = [1, 2, 3]

/** The consumer that a row is sent to. */
export type To =
  | 'orders'
  | 'any topic'
  | 'no topic'
  | 'text'
  | 'no schema'
  | 'by id'
  | 'short age'
  | 'events'
  | 'uploads'
  | 'first stage'
  | 'timed stage'
  | 'last stage'
  | 'answers'
  | 'broken key'

export const CONSUMERS: Readonly<
  Record<To, (harness: ConsumerHarness) => Consumer | Promise<Consumer>>
> = {
  orders: (harness) => orders(harness, { envelopes: [snsTopic(TOPIC)] }),
  'any topic': (harness) => orders(harness, { envelopes: [snsTopic('any')] }),
  'no topic': (harness) => orders(harness, {}),
  'short age': (harness) =>
    orders(harness, { envelopes: [snsTopic(TOPIC)], retry: { maxAge: '1h' } }),
  events: (harness) => orders(harness, { envelopes: [eventBridge({ sources: ['my.shop'] })] }),
  uploads,
  text: (harness) => bare(harness, 'text'),
  'no schema': (harness) => bare(harness, 'json'),
  'by id': byId,
  'first stage': (harness) => ({ handler: trip(harness).first, good: NUMBERS.map(start) }),
  'timed stage': timed,
  'last stage': lastStage,
  answers,
  'broken key': brokenKey,
}

const deadLetterQueueUrl = (harness: ConsumerHarness): string => harness.cloud.queueUrl('dead')
const common = (harness: ConsumerHarness) => ({
  ...harness.options,
  deadLetterQueueUrl: deadLetterQueueUrl(harness),
  queueUrl: harness.cloud.queueUrl('back'),
})
const order = (n: number) => record({ id: `good-${n}`, n })

function orders(
  harness: ConsumerHarness,
  options: Pick<RecordHandlerOptions, 'envelopes' | 'retry'>,
): Consumer {
  const handler = recordHandler(
    { name: 'orders', schema: Order, ...common(harness), ...options },
    (payload) => harness.ran.push(payload),
  )
  return { handler, good: NUMBERS.map(order) }
}

const UPLOAD = {
  eventName: 'ObjectCreated:Put',
  eventTime: new Date(NOW).toISOString(),
  region: 'eu-west-1',
  bucket: 'my-uploads',
}

function uploads(harness: ConsumerHarness): Consumer {
  const { schema, ...format } = s3Events({ buckets: ['my-uploads'] })
  const handler = recordHandler(
    { name: 'orders', schema, envelopes: [format], ...common(harness) },
    (payload) => harness.ran.push(payload),
  )
  // As a test would send them: what the format would open them to.
  const good = NUMBERS.map((n) => record({ ...UPLOAD, key: `good-${n}` }))
  return { handler, good }
}

function bare(harness: ConsumerHarness, parse: 'text' | 'json'): Consumer {
  const handler = recordHandler({ name: 'orders', parse, ...common(harness) }, (payload) =>
    harness.ran.push(payload),
  )
  return { handler, good: NUMBERS.map(order) }
}

/** As JavaScript would write it. */
const idOf = (payload: unknown): string => (payload as { id: string }).id

function byId(harness: ConsumerHarness): Consumer {
  const options = { name: 'orders', ...common(harness), id: idOf }
  const handler = recordHandler(options, (payload) => harness.ran.push(payload))
  return { handler, good: NUMBERS.map(order) }
}

const Start = z.object({ key: z.string(), id: z.string().optional(), at: z.unknown().optional() })

function trip(harness: ConsumerHarness) {
  const { queueUrl: _own, deadLetterQueueUrl: dead, ...options } = common(harness)
  const queue = { queueUrl: harness.cloud.queueUrl('back'), deadLetterQueueUrl: dead }
  const flow = defineFlow({
    name: 'trip',
    ...options,
    key: ({ key }) => key,
    stages: {
      first: { schema: Start, ...queue },
      last: { schema: z.object({ key: z.string() }), ...queue, final: true },
    },
    awaitingSteps: {
      quote: {
        schema: z.object({ quoteId: z.string(), price: z.number() }),
        id: ({ quoteId }) => quoteId,
        grace: '1m',
        ...queue,
      },
    },
  })
  return {
    flow,
    first: flow.stageHandler('first', (payload) => harness.ran.push(payload)),
    last: flow.stageHandler('last', (payload) => harness.ran.push(payload)),
    answered: flow.answerHandler('quote', (payload) => harness.ran.push(payload)),
  }
}

const start = (n: number) => record({ key: `good-${n}` })

function timed(harness: ConsumerHarness): Consumer {
  const { queueUrl: _own, ...options } = common(harness)
  const { deadLetterQueueUrl: dead, ...rest } = options
  const flow = defineFlow({
    name: 'trip',
    ...rest,
    key: ({ key }) => key,
    id: ({ id }) => id ?? '',
    // The fields of a payload, whatever it is.
    sentAt: ({ at }) => at as number,
    stages: { first: { schema: Start, deadLetterQueueUrl: dead } },
  })
  const handler = flow.stageHandler('first', (payload) => harness.ran.push(payload))
  const good = NUMBERS.map((n) => record({ key: `good-${n}`, id: `id-${n}`, at: NOW - n }))
  return { handler, good }
}

async function lastStage(harness: ConsumerHarness): Promise<Consumer> {
  await harness.store.create(
    NUMBERS.map((n) => ({
      ...RUN_OF(`good-${n}`, `run-${n}`),
      'stage:first': 'settled on last',
    })),
  )
  const good = NUMBERS.map((n) =>
    record({ key: `good-${n}` }, { attributes: inRun({ key: `good-${n}`, id: `run-${n}` }) }),
  )
  return { handler: trip(harness).last, good }
}

/** What a stage of a run has sent carries this. */
export const inRun = (changes: object = {}) => {
  const flow = { name: 'trip', key: 'k', id: 'r', epoch: 1, sentAt: NOW - 1_000, from: 'first' }
  return {
    lineclear: JSON.stringify({ format: 1, sentAt: NOW - 1_000, flow: { ...flow, ...changes } }),
  }
}

/** The stage record of a key that a request holds. */
export const RUN_OF = (key: string, uniquerequestid: string) => ({
  pk: `flow#trip/${key}`,
  sk: 'stage',
  epoch: 1,
  fence: 1,
  uniquerequestid,
  giveUpAt: NOW + 3_600_000,
  newest: `${String(NOW - 1_000).padStart(15, '0')}#${uniquerequestid}`,
})

/** The good answers are awaited by runs; the run of key `waits` awaits `q-1`. */
async function answers(harness: ConsumerHarness): Promise<Consumer> {
  const { flow, answered } = trip(harness)
  const ask = flow.stageHandler('first', ({ key }, ctx) =>
    ctx.awaitStep('quote', `of-${key}`, () => {}),
  )
  const keys = [...NUMBERS.map((n) => `good-${n}`), 'waits']
  await ask(
    sqsEvent(...keys.map((key) => record({ key }, { messageId: `run-${key}` }))),
    lambdaContext(),
  )
  const good = NUMBERS.map((n) => record({ quoteId: `of-good-${n}`, price: n }))
  return { handler: answered, good }
}

function brokenKey(harness: ConsumerHarness): Consumer {
  const { queueUrl: _own, deadLetterQueueUrl: dead, ...options } = common(harness)
  const flow = defineFlow({
    name: 'trip',
    ...options,
    // As JavaScript would write it.
    key: ({ key }) => (key.startsWith('=') ? JSON.parse(key.slice(1)) : key) as string,
    stages: { first: { schema: Start, deadLetterQueueUrl: dead } },
  })
  return {
    handler: flow.stageHandler('first', (payload) => harness.ran.push(payload)),
    good: NUMBERS.map(start),
  }
}
