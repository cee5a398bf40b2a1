import { snsTopic } from 'lineclear'
import { BasicTracerProvider } from '@opentelemetry/sdk-trace-base'
import { z } from 'zod'
import { systemClock } from '../../../src/library/base/clock.ts'
import type { SqsHandler } from '../../../src/library/entries/consumer/recordHandler.ts'
import type { Settlement } from '../../../src/library/protocol/claim/settlement.ts'
import { openTelemetry } from '../../../src/library/features/tracing/openTelemetry/index.ts'
import type { Metrics } from '../../../src/library/features/metrics/metrics.ts'
import { recordHandler, TerminalError } from '../../../src/library/index.ts'
import type { LocalCloud } from '../../../src/testing/local/index.ts'
import { redriveDeadLetters } from '../../../src/tools/operator/dlq/redrive.ts'
import { silent } from './silent.ts'
import { storeOn } from './storeOn.ts'

/** `good` ends at once, `flaky` the second time, `poison` never, `garbage` has no order in it. */
export const KINDS = [
  'good',
  'good',
  'good',
  'good',
  'good',
  'flaky',
  'flaky',
  'poison',
  'garbage',
] as const

const HOOK = z.object({ orderId: z.string(), kind: z.enum(KINDS) })
const REFUSES_ALL: typeof HOOK = HOOK.refine(() => false, 'a field that no order has is missing')

/** Of a version, for the other one. */
export async function redriveAll(cloud: LocalCloud): Promise<void> {
  const options = { queue: 'dead', to: 'orders', mode: 'apply', rate: 1_000 } as const
  const report = await redriveDeadLetters({ ...options, sqs: cloud.sqs })
  if (report.ended !== 'complete' || report.refused + report.notRemoved > 0)
    throw new Error('letters were not redriven', { cause: report })
}

export interface Shop {
  readonly orders: SqsHandler
  readonly shipments: SqsHandler
}

export interface ShopPlace {
  readonly cloud: LocalCloud
  readonly charges: Map<string, string>
  /** What poisons an order ends when stock is back. */
  readonly stock: { readonly isBack: boolean }
  readonly onSettled: (settlement: Settlement) => void
  readonly metrics: Metrics | undefined
  readonly pause: () => Promise<void>
}

export function shopOn(place: ShopPlace, ahead: number, hook: 'good' | 'refuses all'): Shop {
  const { cloud, charges, stock, onSettled, metrics, pause } = place
  const common = {
    store: storeOn(cloud, silent),
    logger: silent,
    clients: { sqs: cloud.sqs, sns: cloud.sns },
    clock: { ...systemClock, now: () => systemClock.now() + ahead },
    retry: { maxAttempts: 100, delay: () => 500 },
    tracing: openTelemetry({ tracerProvider: new BasicTracerProvider() }),
    onSettled,
    ...(metrics && { metrics }),
  }
  return {
    orders: recordHandler(
      {
        ...common,
        name: 'orders',
        envelopes: [snsTopic(cloud.topicArn('placed'))],
        schema: hook === 'good' ? HOOK : REFUSES_ALL,
        id: ({ orderId }) => orderId,
        mustAgree: ['kind'],
      },
      async ({ orderId, kind }, ctx) => {
        await pause()
        await ctx.write('order', add(orderId, 'ordered'))
        await ctx.call('charge', async ({ idempotencyKey }) => {
          await pause()
          charges.set(idempotencyKey, orderId)
          return 'charged'
        })
        if (kind === 'poison' && !stock.isBack)
          throw new TerminalError('there is no such thing in stock')
        if (kind === 'flaky' && ctx.attempt === 1) throw new Error('not now')
        await ctx.send(cloud.queueUrl('shipments'), { orderId })
      },
    ),
    shipments: recordHandler(
      { ...common, name: 'shipments', schema: z.object({ orderId: z.string() }) },
      async ({ orderId }, ctx) => {
        await pause()
        await ctx.write('ship', add(orderId, 'shipped'))
      },
    ),
  }
}

function add(id: string, field: string) {
  return { TableName: 'effects', Key: { id }, add: { [field]: 1 } }
}
