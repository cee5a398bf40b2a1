import { defineFlow, recordHandler } from 'lineclear'
import { sqsEvent } from 'lineclear/testing'
import { z } from 'zod'
import { lambdaContext } from '../../batch/lambdaContext.ts'
import { type Consumer, type Desk, NOW, record } from './desk.ts'

export const TOPIC = 'arn:aws:sns:eu-west-1:123456789012:orders'

const Order = z.object({
  id: z.string().min(1),
  n: z.number().int().min(0).max(1_000_000),
  kind: z.enum(['book', 'parcel']).optional(),
  tags: z.array(z.string()).max(3).optional(),
})
const NUMBERS = [1, 2, 3]

/** Whom a row is for. */
export type To =
  | 'orders'
  | 'any topic'
  | 'no topic'
  | 'text'
  | 'no schema'
  | 'by id'
  | 'short age'
  | 'first stage'
  | 'timed stage'
  | 'last stage'
  | 'answers'
  | 'broken key'

export const CONSUMERS: Readonly<Record<To, (desk: Desk) => Consumer | Promise<Consumer>>> = {
  orders: (desk) => orders(desk, { topics: [TOPIC] }),
  'any topic': (desk) => orders(desk, { topics: 'any' }),
  'no topic': (desk) => orders(desk, {}),
  'short age': (desk) => orders(desk, { topics: [TOPIC], retry: { maxAge: '1h' } }),
  text: (desk) => bare(desk, 'text'),
  'no schema': (desk) => bare(desk, 'json'),
  'by id': byId,
  'first stage': (desk) => ({ handler: trip(desk).first, good: NUMBERS.map(start) }),
  'timed stage': timed,
  'last stage': lastStage,
  answers,
  'broken key': brokenKey,
}

const deadLetterQueueUrl = (desk: Desk): string => desk.cloud.queueUrl('dead')
const common = (desk: Desk) => ({
  ...desk.options,
  deadLetterQueueUrl: deadLetterQueueUrl(desk),
  queueUrl: desk.cloud.queueUrl('back'),
})
const order = (n: number) => record({ id: `good-${n}`, n })

function orders(
  desk: Desk,
  options: { topics?: readonly string[] | 'any'; retry?: { maxAge: '1h' } },
): Consumer {
  const handler = recordHandler(
    { name: 'orders', schema: Order, ...common(desk), ...options },
    (payload) => desk.ran.push(payload),
  )
  return { handler, good: NUMBERS.map(order) }
}

function bare(desk: Desk, parse: 'text' | 'json'): Consumer {
  const handler = recordHandler({ name: 'orders', parse, ...common(desk) }, (payload) =>
    desk.ran.push(payload),
  )
  return { handler, good: NUMBERS.map(order) }
}

/** As JavaScript would write it. */
const idOf = (payload: unknown): string => (payload as { id: string }).id

function byId(desk: Desk): Consumer {
  const options = { name: 'orders', ...common(desk), id: idOf }
  const handler = recordHandler(options, (payload) => desk.ran.push(payload))
  return { handler, good: NUMBERS.map(order) }
}

const Start = z.object({ key: z.string(), id: z.string().optional(), at: z.unknown().optional() })

function trip(desk: Desk) {
  const { queueUrl: _own, deadLetterQueueUrl: dead, ...options } = common(desk)
  const queue = { queueUrl: desk.cloud.queueUrl('back'), deadLetterQueueUrl: dead }
  const flow = defineFlow({
    name: 'trip',
    ...options,
    key: ({ key }) => key,
    stages: {
      first: { schema: Start, ...queue },
      last: { schema: z.object({ key: z.string() }), ...queue, final: true },
    },
    awaits: {
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
    first: flow.handle('first', (payload) => desk.ran.push(payload)),
    last: flow.handle('last', (payload) => desk.ran.push(payload)),
    answered: flow.complete('quote', (payload) => desk.ran.push(payload)),
  }
}

const start = (n: number) => record({ key: `good-${n}` })

function timed(desk: Desk): Consumer {
  const { queueUrl: _own, ...options } = common(desk)
  const { deadLetterQueueUrl: dead, ...rest } = options
  const flow = defineFlow({
    name: 'trip',
    ...rest,
    key: ({ key }) => key,
    id: ({ id }) => id ?? '',
    // What a payload says of itself, whatever it is.
    sentAt: ({ at }) => at as number,
    stages: { first: { schema: Start, deadLetterQueueUrl: dead } },
  })
  const handler = flow.handle('first', (payload) => desk.ran.push(payload))
  const good = NUMBERS.map((n) => record({ key: `good-${n}`, id: `id-${n}`, at: NOW - n }))
  return { handler, good }
}

async function lastStage(desk: Desk): Promise<Consumer> {
  await desk.store.create(
    NUMBERS.map((n) => ({
      ...RUN_OF(`good-${n}`, `run-${n}`),
      'stage:first': 'settled on last',
    })),
  )
  const good = NUMBERS.map((n) =>
    record({ key: `good-${n}` }, { attributes: inRun({ key: `good-${n}`, id: `run-${n}` }) }),
  )
  return { handler: trip(desk).last, good }
}

/** What a stage of a run has sent carries this. */
export const inRun = (changes: object = {}) => {
  const flow = { name: 'trip', key: 'k', id: 'r', epoch: 1, sentAt: NOW - 1_000, from: 'first' }
  return { lineclear: JSON.stringify({ sentAt: NOW - 1_000, flow: { ...flow, ...changes } }) }
}

/** The stage record of a key that a request has. */
export const RUN_OF = (key: string, uniquerequestid: string) => ({
  pk: `flow#trip/${key}`,
  sk: 'stage',
  epoch: 1,
  fence: 1,
  uniquerequestid,
  giveUpAt: NOW + 3_600_000,
  newest: `${String(NOW - 1_000).padStart(15, '0')}#${uniquerequestid}`,
})

/** The good answers are those of runs that have asked; so has the run of key `waits`, for `q-1`. */
async function answers(desk: Desk): Promise<Consumer> {
  const { flow, answered } = trip(desk)
  const ask = flow.handle('first', ({ key }, ctx) => ctx.awaitStep('quote', `of-${key}`, () => {}))
  const keys = [...NUMBERS.map((n) => `good-${n}`), 'waits']
  await ask(
    sqsEvent(...keys.map((key) => record({ key }, { messageId: `run-${key}` }))),
    lambdaContext(),
  )
  const good = NUMBERS.map((n) => record({ quoteId: `of-good-${n}`, price: n }))
  return { handler: answered, good }
}

function brokenKey(desk: Desk): Consumer {
  const { queueUrl: _own, deadLetterQueueUrl: dead, ...options } = common(desk)
  const flow = defineFlow({
    name: 'trip',
    ...options,
    // As JavaScript would write it.
    key: ({ key }) => (key.startsWith('=') ? JSON.parse(key.slice(1)) : key) as string,
    stages: { first: { schema: Start, deadLetterQueueUrl: dead } },
  })
  return {
    handler: flow.handle('first', (payload) => desk.ran.push(payload)),
    good: NUMBERS.map(start),
  }
}
