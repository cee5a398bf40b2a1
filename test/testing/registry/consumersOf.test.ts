import { callEffects, defineFlow, idempotent, invocationHandler, recordHandler } from 'lineclear'
import { consumersOf, memoryStore } from 'lineclear/testing'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'

const store = memoryStore()
const url = (queue: string) => `https://sqs.eu-west-1.amazonaws.com/1/${queue}`
const DAY = 86_400_000

const trip = defineFlow({
  name: 'trip',
  store,
  key: (payload) => payload.key,
  giveUpAfter: '2h',
  stages: {
    book: { schema: z.object({ key: z.string() }), queueUrl: url('book') },
    pay: { schema: z.object({ key: z.string() }), queueUrl: url('pay'), final: true },
  },
  awaits: {
    found: { schema: z.object({ id: z.string() }), id: ({ id }) => id, queueUrl: url('found') },
  },
})
const flow = {
  name: 'trip',
  order: 'newest',
  giveUpAfter: 7_200_000,
  stages: [
    { name: 'book', queue: 'book' },
    { name: 'pay', queue: 'pay', final: true },
  ],
  steps: [{ name: 'found', queue: 'found' }],
}
const ofFlow = {
  hasSchema: true,
  undoes: false,
  topics: [],
  maxAttempts: 6,
  retention: 30 * DAY,
}

describe('the description of a handler', () => {
  it('of records has what its options say', () => {
    const handler = recordHandler(
      {
        name: 'orders',
        store,
        schema: z.object({}),
        topics: ['arn:aws:sns:eu-west-1:1:placed'],
        queueUrl: url('orders'),
        deadLetterQueueUrl: url('orders-dead'),
        retry: { maxAttempts: 3, maxAge: '2d' },
        retention: '7d',
      },
      () => {},
    )
    expect(consumersOf(handler)).toEqual([
      {
        name: 'orders',
        kind: 'record',
        hasSchema: true,
        undoes: false,
        queue: 'orders',
        deadLetterQueue: 'orders-dead',
        topics: ['placed'],
        sendsTo: [],
        maxAttempts: 3,
        maxAge: 2 * DAY,
        retention: 7 * DAY,
      },
    ])
    const [bare] = consumersOf(recordHandler({ name: 'bare', store }, () => {}))
    expect(bare).toMatchObject({ name: 'bare', hasSchema: false, topics: [] })
    expect(bare).not.toHaveProperty('queue')
  })

  it('of a stage and of an answer has the flow, and where it may send', () => {
    const book = trip.handle('book', () => {})
    expect(consumersOf(book)).toEqual([
      {
        ...ofFlow,
        name: 'trip.book',
        kind: 'stage',
        queue: 'book',
        sendsTo: ['pay'],
        maxAge: 30 * DAY,
        flow: { ...flow, part: 'book' },
      },
    ])
    expect(consumersOf(trip.handle('pay', () => {}))).toMatchObject([{ sendsTo: [] }])
    expect(consumersOf(trip.onAnswer('found', () => {}))).toMatchObject([
      { kind: 'answer', name: 'trip.found', queue: 'found', sendsTo: ['book', 'pay'] },
    ])
  })

  it('of functions and invocations has their scope', () => {
    const pay = idempotent(
      { store, scope: 'payments', key: (id: string) => id },
      async (id: string) => id.length,
    )
    const night = invocationHandler({ name: 'settle', store }, async () => 1)
    const book = idempotent(
      { store, scope: 'bookings', key: (id: string) => id, effects: callEffects() },
      async (_: string, ctx) => ctx.uniqueRequestId,
    )
    const described = [pay, night, book].flatMap((one) => consumersOf(one))
    expect(described.map(({ name, kind }) => [name, kind])).toEqual([
      ['payments', 'function'],
      ['settle', 'invocation'],
      ['bookings', 'function'],
    ])
  })

  it('of a module has all that it exports; of anything else there is none', () => {
    const module = { handler: trip.handle('book', () => {}), helper: () => {}, limit: 5 }
    expect(consumersOf(module)).toMatchObject([{ name: 'trip.book', exportedAs: 'handler' }])
    for (const other of [() => {}, undefined, null, 'text', {}, 5]) {
      expect(consumersOf(other)).toEqual([])
    }
  })
})
