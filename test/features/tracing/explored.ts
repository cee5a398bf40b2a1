import { defineFlow, recordHandler, type Tracing } from 'lineclear'
import { openTelemetry } from 'lineclear/opentelemetry'
import { type CrashCloud, type CrashOptions, exploreCrashes } from 'lineclear/testing'
import { expect } from 'vitest'
import { z } from 'zod'
import { SOUND } from '../../testing/crashes/consumerOf.ts'
import { keepSpans } from './spans.ts'

const Key = { id: 'all' }
const Trip = z.object({ tripId: z.string() })
const Offer = z.object({ offerId: z.string() })

type Build = (
  cloud: CrashCloud,
  tracing: { readonly tracing?: Tracing },
) => ReturnType<Parameters<typeof exploreCrashes>[0]>

const consumer: Build = ({ store, clients, clock, logger, outside, queueUrl }, tracing) =>
  recordHandler({ name: 'orders', store, clients, clock, logger, ...tracing }, async (_, ctx) => {
    await ctx.call('charge', (key) => outside('charge', key))
    await ctx.write('sum', { TableName: 't', Key, add: { n: 1 } })
    await ctx.send(queueUrl('mail'), 'paid')
  })

const flow: Build = ({ store, clients, clock, logger, queueUrl }, tracing) => {
  const trip = defineFlow({
    name: 'trip',
    store,
    clients,
    clock,
    logger,
    ...tracing,
    key: ({ tripId }) => tripId,
    stages: {
      ask: { schema: Trip, queueUrl: queueUrl('ask') },
      book: { schema: Trip, queueUrl: queueUrl('book'), final: true },
    },
    awaitingSteps: {
      offer: { schema: Offer, id: ({ offerId }) => offerId, queueUrl: queueUrl('offer') },
    },
  })
  return {
    ask: trip.stageHandler('ask', (_, ctx) =>
      ctx.awaitStep('offer', 'a', () => ctx.send(queueUrl('airline'), { offerId: 'a' })),
    ),
    offer: trip.answerHandler('offer', (_, ctx) => ctx.next('book', { tripId: ctx.key })),
    book: trip.stageHandler('book', (_, ctx) =>
      ctx.write('n', { TableName: 't', Key, add: { n: 1 } }),
    ),
  }
}

const answers = {
  airline: ({ offerId }: { readonly offerId: string }) => ({ offer: { offerId } }),
}

const HANDLERS = { consumer, flow }

/** The same schedules, the same ends, with a tracing and without. @param limit schedules */
export async function expectSame(name: keyof typeof HANDLERS, limit: number): Promise<void> {
  const spans = keepSpans()
  const tracing = openTelemetry({ tracerProvider: spans.tracerProvider })
  const options: CrashOptions = name === 'flow' ? { limit, together: 1, answers } : { limit }
  const build = HANDLERS[name]
  const plain = await exploreCrashes((cloud) => build(cloud, {}), { tripId: 't' }, options)
  const traced = await exploreCrashes(
    (cloud) => build(cloud, { tracing }),
    { tripId: 't' },
    options,
  )
  expect(plain).toMatchObject(SOUND)
  expect(traced).toEqual(plain)
  expect(spans.all().length).toBeGreaterThan(plain.schedules)
}
