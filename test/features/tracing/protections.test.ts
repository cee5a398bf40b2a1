import { defineFlow, recordHandler, type Tracing } from 'lineclear'
import { openTelemetry } from 'lineclear/opentelemetry'
import { memoryCloud } from 'lineclear/testing'
import { expect, it } from 'vitest'
import { z } from 'zod'
import { keepSpans } from './spans.ts'

const Trip = z.object({ tripId: z.string() })
const Offer = z.object({ offerId: z.string() })

type Delivery = NonNullable<ReturnType<Tracing['delivery']>>
type Change = (tracing: Tracing) => Tracing

const changing =
  (change: (delivery: Delivery) => Partial<Delivery>): Change =>
  (tracing) => ({
    ...tracing,
    delivery: (...given) => {
      const delivery = tracing.delivery(...given)
      return delivery && { ...delivery, ...change(delivery) }
    },
  })

/** A trip that is asked for without context, fails once, waits for an answer from outside, and is booked. */
async function story(change: Change) {
  const spans = keepSpans()
  const queue = { deadLetter: { queue: 'dead', maxReceiveCount: 10 } }
  const cloud = memoryCloud({
    queues: { ask: queue, offer: queue, book: queue, mail: queue, dead: {} },
  })
  const { store, clients, clock, logger, queueUrl } = cloud
  const tracing = change(openTelemetry({ tracerProvider: spans.tracerProvider }))
  const basics = { store, clients, clock, logger, tracing }
  const trip = defineFlow({
    name: 'trip',
    ...basics,
    key: ({ tripId }) => tripId,
    stages: {
      ask: { schema: Trip, queueUrl: queueUrl('ask') },
      book: { schema: Trip, queueUrl: queueUrl('book'), final: true },
    },
    awaitingSteps: {
      offer: { schema: Offer, id: ({ offerId }) => offerId, queueUrl: queueUrl('offer') },
    },
  })
  const ask = trip.stageHandler('ask', async (_, ctx) => {
    if (ctx.attempt === 1) throw new Error('no')
    await ctx.awaitStep('offer', 'a', () => {})
  })
  const offer = trip.answerHandler('offer', (_, ctx) => ctx.next('book', { tripId: ctx.key }))
  const book = trip.stageHandler('book', (_, ctx) => ctx.send(queueUrl('mail'), 'booked'))
  const mail = recordHandler({ name: 'mail', ...basics }, () => {})
  cloud.send('ask', { tripId: 't' })
  await cloud.drain({ ask })
  cloud.send('offer', { offerId: 'a' })
  await cloud.drain({ offer, book, mail })
  const tree = spans.tree().filter((line) => line.includes('attempt'))
  const ids = spans
    .all()
    .flatMap((span) => ('lineclear.attempt' in span.attributes ? [span.spanContext().traceId] : []))
  return { tree, traces: new Set(ids).size, deliveries: ids.length }
}

it('everything that happens for a request is in one trace, and below what has caused it', async () => {
  expect(await story((tracing) => tracing)).toEqual({
    traces: 1,
    deliveries: 5,
    tree: [
      '  CONSUMER process ask attempt=1 outcome=resent !no',
      '    CONSUMER process ask attempt=2 resend_number=1 outcome=completed →process ask →process ask',
      '      CONSUMER process offer attempt=1 outcome=completed →process ask →process offer',
      '          CONSUMER process book attempt=1 outcome=completed →send book →process book',
      '              CONSUMER process mail attempt=1 outcome=completed →send mail →process mail',
    ],
  })
})

it('switched off: copies that carry no context leave the trace of their first attempt', async () => {
  const off = changing(() => ({ carry: (message) => message }))
  expect((await story(off)).traces).toBe(4)
})

it('switched off: messages without the context of their sending are not below it', async () => {
  const off = changing(({ send }) => ({
    send: (to, work) => send(to, (given) => work({ ...given, stamp: (message) => message })),
  }))
  const { tree } = await story(off)
  expect(tree.filter((line) => line.includes('→send'))).toEqual([])
})

it('switched off: answers of steps that store no context are in traces of their own', async () => {
  const off = changing(() => ({ traceparent: undefined }))
  expect((await story(off)).traces).toBe(2)
})

it.each([
  ['a context manager that throws first', () => boom()],
  ['a context manager that throws last', (work: () => unknown) => [work(), boom()]],
])('switched off: with %s records would fail', async (_, run) => {
  const off = changing(() => ({ run: (work) => run(work) as never }))
  await expect(story(off)).rejects.toThrow('boom')
})

function boom(): never {
  throw new Error('boom')
}
