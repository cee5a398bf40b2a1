import { BasicTracerProvider } from '@opentelemetry/sdk-trace-base'
import { z } from 'zod'
import { systemClock } from '../../../src/clock.ts'
import { defineFlow } from '../../../src/index.ts'
import type { SqsHandler } from '../../../src/batch/recordHandler.ts'
import type { Settlement } from '../../../src/claim/settlement.ts'
import { dynamoDbStore } from '../../../src/store/dynamodb/index.ts'
import type { LocalCloud } from '../../../src/testing/local/index.ts'
import type { Logger } from '../../../src/logger.ts'
import type { Metrics } from '../../../src/metrics/metrics.ts'
import { openTelemetry } from '../../../src/tracing/openTelemetry/index.ts'
import type { Policy } from './plan.ts'

export interface Booking {
  readonly reserve: SqsHandler
  readonly quoted: SqsHandler
  readonly charge: SqsHandler
  start(request: { uid: string; key: string; sentAt: number }): Promise<unknown>
}

/** Calls that reached the payment provider, by idempotency key. */
export interface Payments {
  readonly charges: Map<string, number>
}

const Reserve = z.object({ key: z.string() })
const Charge = z.object({ key: z.string(), price: z.number() })
const Quote = z.object({ quoteId: z.string(), price: z.number() })

/** Three Lambdas and an outside system that answers by a message of its own: reserve → (quote) → quoted → charge. */
export function bookingOn(
  cloud: LocalCloud,
  policy: Policy,
  payments: Payments,
  logger: Logger,
  ahead: number,
  onSettled: (settlement: Settlement) => void,
  metrics: Metrics | undefined,
): Booking {
  const store = dynamoDbStore({ tableName: 'lineclear', client: cloud.dynamodb, logger })
  const booking = defineFlow({
    name: 'booking',
    store,
    order: policy.order,
    onConflict: policy.onConflict,
    key: (payload) => payload.key,
    retry: { maxAttempts: 100, delay: () => 500 },
    tracing: openTelemetry({ tracerProvider: new BasicTracerProvider() }),
    logger,
    sqs: cloud.sqs,
    sns: cloud.sns,
    onSettled,
    ...(metrics && { metrics }),
    clock: { ...systemClock, now: () => systemClock.now() + ahead },
    stages: {
      reserve: {
        schema: Reserve,
        queueUrl: cloud.queueUrl('reserve'),
        topics: [cloud.topicArn('requests')],
      },
      charge: { schema: Charge, queueUrl: cloud.queueUrl('charge'), final: true },
    },
    awaits: {
      quote: { schema: Quote, id: ({ quoteId }) => quoteId, queueUrl: cloud.queueUrl('quotes') },
    },
  })
  return {
    start: ({ uid, key, sentAt }) => booking.start({ key }, { uniqueRequestId: uid, sentAt }),
    reserve: booking.handle('reserve', async (_payload, ctx) => {
      await ctx.applyOnce('reserve', count(ctx.uniqueRequestId, 'reserved'))
      const quoteId = `${ctx.key}/${ctx.uniqueRequestId}`
      await ctx.awaitStep('quote', quoteId, () =>
        ctx.sendTo(cloud.queueUrl('questions'), { quoteId }),
      )
      await ctx.put({
        TableName: 'objects',
        Key: { id: ctx.key },
        put: { by: ctx.uniqueRequestId, at: ctx.sentAt, step: 'reserved' },
      })
    }),
    quoted: booking.onAnswer('quote', async ({ price }, ctx) => {
      await ctx.applyOnce('quote', count(ctx.uniqueRequestId, 'quoted'))
      await ctx.send('charge', { key: ctx.key, price })
    }),
    charge: booking.handle('charge', async ({ price }, ctx) => {
      const receipt = await ctx.once('pay', async ({ idempotencyKey }) => {
        payments.charges.set(idempotencyKey, (payments.charges.get(idempotencyKey) ?? 0) + 1)
        return `${price}`
      })
      await ctx.applyOnce('charge', count(ctx.uniqueRequestId, 'charged'))
      await ctx.put({
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
