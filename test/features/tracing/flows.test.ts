import { defineFlow, sweepHandler } from 'lineclear'
import { openTelemetry, type OpenTelemetryOptions } from 'lineclear/opentelemetry'
import { memoryCloud } from 'lineclear/testing'
import { expect, it } from 'vitest'
import { z } from 'zod'
import { keepSpans } from './spans.ts'

const Trip = z.object({ tripId: z.string() })
const Offer = z.object({ searchId: z.string(), price: z.number() })

/** A search asks an airline, which answers later; the offer is made by a third function. */
function trips(options: OpenTelemetryOptions = {}, needed: readonly string[] = ['s1']) {
  const spans = keepSpans()
  const { tracerProvider } = spans
  const queue = { deadLetter: { queue: 'dead', maxReceiveCount: 10 } }
  const cloud = memoryCloud({ queues: { search: queue, found: queue, offer: queue, dead: {} } })
  const { store, clients, clock, logger, queueUrl } = cloud
  const tracing = openTelemetry({ tracerProvider, ...options })
  const trip = defineFlow({
    name: 'trip',
    store,
    clients,
    clock,
    logger,
    tracing,
    key: ({ tripId }) => tripId,
    stages: {
      search: { schema: Trip, queueUrl: queueUrl('search') },
      offer: { schema: Trip, queueUrl: queueUrl('offer'), final: true },
    },
    awaitingSteps: {
      found: {
        schema: Offer,
        id: ({ searchId }) => searchId,
        queueUrl: queueUrl('found'),
        timeout: '5m',
      },
    },
  })
  const search = trip.stageHandler('search', (_, ctx) => ctx.awaitStep('found', needed, () => {}))
  const found = trip.answerHandler('found', (_, ctx) => ctx.next('offer', { tripId: ctx.key }), {
    onTimeout: (ctx) => ctx.next('offer', { tripId: ctx.key }),
  })
  const offer = trip.stageHandler('offer', () => {})
  const of = (name: string): readonly unknown[] =>
    spans.all().flatMap(({ attributes }) => (name in attributes ? [attributes[name]] : []))
  return {
    spans,
    cloud,
    trip,
    handlers: { search, found, offer },
    of,
    tracer: tracerProvider.getTracer('test'),
  }
}

it('a flow over three functions is one trace, with the answer of an outside system', async () => {
  const { spans, cloud, trip, handlers, of } = trips()
  await trip.start({ tripId: 't1' }, { uniqueRequestId: 'r1' })
  await cloud.deliver('search', handlers.search)
  cloud.send('found', { searchId: 's1', price: 1 })
  await cloud.deliver('found', handlers.found)
  await cloud.deliver('offer', handlers.offer)
  expect(spans.tree()).toEqual([
    'PRODUCER send search',
    '  CONSUMER process search attempt=1 outcome=completed →send search →process search',
    '    PRODUCER send found',
    '    CONSUMER process found attempt=1 outcome=completed →process search →process found',
    '      PRODUCER send offer',
    '        CONSUMER process offer attempt=1 outcome=completed →send offer →process offer',
    'CONSUMER process search message_count=1',
    'CONSUMER process found message_count=1',
    'CONSUMER process offer message_count=1',
  ])
  expect(new Set(of('lineclear.uniquerequestid'))).toEqual(new Set(['r1']))
  expect(new Set(of('lineclear.flow'))).toEqual(new Set(['trip']))
  expect(new Set(of('lineclear.stage'))).toEqual(new Set(['search', 'found', 'offer']))
})

it('an answer by webhook links to the webhook, and continues the trace of the stage that asked', async () => {
  const { spans, cloud, trip, handlers, tracer } = trips()
  await trip.start({ tripId: 't1' })
  await cloud.deliver('search', handlers.search)
  await tracer.startActiveSpan('POST /webhook', async (span) => {
    await trip.answer('found', { searchId: 's1', price: 1 })
    span.end()
  })
  await cloud.deliver('found', handlers.found)
  expect(spans.tree().slice(2, 7)).toEqual([
    '    PRODUCER send found',
    '    CONSUMER process found attempt=1 outcome=completed →process search →send found →process found',
    '      PRODUCER send offer',
    'CONSUMER process search message_count=1',
    'INTERNAL POST /webhook',
  ])
})

it('each answer of a join links to the stage that asked', async () => {
  const { spans, cloud, trip, handlers } = trips({ parent: 'invocation' }, ['s1', 's2'])
  await trip.start({ tripId: 't1' })
  await cloud.deliver('search', handlers.search)
  for (const searchId of ['s1', 's2']) {
    cloud.send('found', { searchId, price: 1 })
    await cloud.deliver('found', handlers.found)
  }
  expect(spans.tree().filter((line) => line.includes('process found'))).toEqual([
    'CONSUMER process found message_count=1',
    '  CONSUMER process found outcome=accepted →process search',
    'CONSUMER process found message_count=1',
    '  CONSUMER process found attempt=1 outcome=completed →process search',
  ])
})

it('a step that times out goes on in the trace of the stage that asked, and the sweeper reminds of it', async () => {
  const { spans, cloud, trip, handlers } = trips()
  const { store, clients, clock, logger } = cloud
  await trip.start({ tripId: 't1' })
  await cloud.deliver('search', handlers.search)
  clock.advance(420_000)
  const losing = (): void => {}
  expect(await cloud.deliver('found', losing)).toMatchObject({ acknowledged: 1 })
  await sweepHandler({ store, clients, clock, logger })()
  await cloud.deliver('found', handlers.found)
  expect(spans.tree().slice(0, 4)).toEqual([
    'PRODUCER send search',
    '  CONSUMER process search attempt=1 outcome=completed →send search →process search',
    '    PRODUCER send found',
    '    CONSUMER process found attempt=1 outcome=completed →process search →process found',
  ])
})
