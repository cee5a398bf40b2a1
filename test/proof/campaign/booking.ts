import { BasicTracerProvider } from '@opentelemetry/sdk-trace-base'
import { z } from 'zod'
import { systemClock } from '../../../src/library/base/clock.ts'
import type { SqsHandler } from '../../../src/library/entries/consumer/recordHandler.ts'
import type { Settlement } from '../../../src/library/protocol/claim/settlement.ts'
import type { LocalCloud } from '../../../src/testing/local/index.ts'
import type { Logger } from '../../../src/library/base/logger.ts'
import type { Metrics } from '../../../src/library/features/metrics/metrics.ts'
import type { Policy } from './plan.ts'
import { openTelemetry } from '../../../src/library/features/tracing/openTelemetry/index.ts'
import { defineFlow, snsTopic } from '../../../src/library/index.ts'
import { storeOn } from './storeOn.ts'

export interface Booking {
  readonly reserve: SqsHandler
  readonly quoted: SqsHandler
  readonly charge: SqsHandler
  /** Where requests are superseded: it counts how often it is told of each. */
  readonly failures?: SqsHandler
  start(request: { uid: string; key: string; sentAt: number }): Promise<unknown>
}

export interface BookingPlace {
  readonly cloud: LocalCloud
  readonly policy: Policy
  readonly payments: Payments
  readonly logger: Logger
  readonly onSettled: (settlement: Settlement) => void
  readonly metrics: Metrics | undefined
  readonly pause: () => Promise<void>
  readonly wholeBatches: boolean
}

/** Calls that reached the payment provider, by idempotency key. */
export interface Payments {
  readonly charges: Map<string, number>
}

const Reserve = z.object({ key: z.string() })
const Charge = z.object({ key: z.string(), price: z.number() })
const Quote = z.object({ quoteId: z.string(), price: z.number() })

/** Three Lambdas and an outside system that answers by a message of its own: reserve → (quote) → quoted → charge. */
export function bookingOn(place: BookingPlace, ahead: number): Booking {
  const { cloud, policy, payments, logger, onSettled, metrics, pause, wholeBatches } = place
  const store = storeOn(cloud, logger)
  const reports = policy.onConflict === 'supersede'
  const booking = defineFlow({
    name: 'booking',
    store,
    process: policy.process,
    onConflict: policy.onConflict,
    key: (payload) => payload.key,
    retry: { maxAttempts: 100, delay: () => 500 },
    tracing: openTelemetry({ tracerProvider: new BasicTracerProvider() }),
    logger,
    clients: { sqs: cloud.sqs, sns: cloud.sns },
    onSettled,
    ...(metrics && { metrics }),
    ...(wholeBatches && { reportBatchItemFailures: false }),
    clock: { ...systemClock, now: () => systemClock.now() + ahead },
    stages: {
      reserve: {
        schema: Reserve,
        queueUrl: cloud.queueUrl('reserve'),
        envelopes: [snsTopic(cloud.topicArn('requests'))],
      },
      charge: { schema: Charge, queueUrl: cloud.queueUrl('charge'), final: true },
    },
    awaitingSteps: {
      quote: { schema: Quote, id: ({ quoteId }) => quoteId, queueUrl: cloud.queueUrl('quotes') },
    },
    ...(reports && { failures: { queueUrl: cloud.queueUrl('failures') } }),
  })
  const failures = (): SqsHandler =>
    booking.failureHandler(async ({ uniqueRequestId }, ctx) => {
      await pause()
      await ctx.write('told', count(uniqueRequestId, 'told'))
    })
  return {
    ...(reports && { failures: failures() }),
    start: ({ uid, key, sentAt }) =>
      booking.start({ key }, { uniqueRequestId: uid, sentAt, groupId: key }),
    reserve: booking.stageHandler('reserve', async (_payload, ctx) => {
      await pause()
      await ctx.write('reserve', count(ctx.uniqueRequestId, 'reserved'))
      await pause()
      const quoteId = `${ctx.key}/${ctx.uniqueRequestId}`
      await ctx.awaitStep('quote', quoteId, () =>
        ctx.send(cloud.queueUrl('questions'), { quoteId }),
      )
      await ctx.write('reserved', {
        TableName: 'objects',
        Key: { id: ctx.key },
        put: { by: ctx.uniqueRequestId, at: ctx.sentAt, step: 'reserved' },
      })
    }),
    quoted: booking.answerHandler('quote', async ({ price }, ctx) => {
      await ctx.write('quote', count(ctx.uniqueRequestId, 'quoted'))
      await pause()
      await ctx.next('charge', { key: ctx.key, price })
    }),
    charge: booking.stageHandler('charge', async ({ price }, ctx) => {
      const receipt = await ctx.call('pay', async ({ idempotencyKey }) => {
        payments.charges.set(idempotencyKey, (payments.charges.get(idempotencyKey) ?? 0) + 1)
        await pause()
        return `${price}`
      })
      await pause()
      await ctx.write('charge', count(ctx.uniqueRequestId, 'charged'))
      await ctx.write('charged', {
        TableName: 'objects',
        Key: { id: ctx.key },
        put: { by: ctx.uniqueRequestId, at: ctx.sentAt, step: 'charged', receipt },
      })
    }),
  }
}

function count(
  uid: string,
  field: string,
): { TableName: string; Key: { id: string }; add: Record<string, number> } {
  return { TableName: 'effects', Key: { id: uid }, add: { [field]: 1 } }
}
