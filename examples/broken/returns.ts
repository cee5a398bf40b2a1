import { defineFlow, TerminalError } from 'lineclear'
import type { QueueHandler } from 'lineclear/local'
import { z } from 'zod'
import type { Shop } from './shop.ts'

const Return = z.object({ returnId: z.string(), isUrgent: z.boolean().optional() })

/** What the warehouse answers. `cents`: how much the customer gets back. */
export const Inspected = z.object({ inspectionId: z.string(), cents: z.number().int() })

/** A customer sends something back: the warehouse inspects it, and the customer is refunded. */
export function returns({ cloud, options }: Shop) {
  const flow = defineFlow({
    ...options,
    name: 'returns',
    key: ({ returnId }) => returnId,
    retry: { maxAttempts: 2, delay: '1s' },
    stages: {
      register: { schema: Return, queueUrl: cloud.queueUrl('register') },
      refund: {
        schema: Return.extend({ cents: z.number() }),
        queueUrl: cloud.queueUrl('refund'),
        final: true,
      },
    },
    awaitingSteps: {
      inspected: {
        schema: Inspected,
        id: ({ inspectionId }) => inspectionId,
        queueUrl: cloud.queueUrl('inspected'),
      },
    },
  })
  const register: QueueHandler = flow.stageHandler(
    'register',
    async ({ returnId, isUrgent }, ctx) => {
      const inspectionId = `inspection-of-${returnId}`
      const asked = { inspectionId, returnId }
      await ctx.awaitStep(
        'inspected',
        inspectionId,
        () => ctx.send(cloud.queueUrl('warehouse'), asked),
        isUrgent === true ? { timeout: '10m' } : {},
      )
    },
  )
  const inspected: QueueHandler = flow.answerHandler(
    'inspected',
    async ({ cents }, ctx) => {
      if (cents < 0) throw new TerminalError(`a refund of ${cents} cents`)
      await ctx.next('refund', { returnId: ctx.key, cents })
    },
    { onTimeout: (ctx) => ctx.next('refund', { returnId: ctx.key, cents: 0 }) },
  )
  const refund: QueueHandler = flow.stageHandler('refund', () => {})
  return { start: flow.start, register, inspected, refund }
}
