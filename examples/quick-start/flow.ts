import { defineFlow } from 'lineclear'
import { dynamoDbStore } from 'lineclear/dynamodb'
import { z } from 'zod'

const Order = z.object({ orderId: z.string(), changedAt: z.number() })

const delivery = defineFlow({
  name: 'delivery',
  store: dynamoDbStore({ tableName: 'lineclear' }),
  key: ({ orderId }) => orderId,
  id: ({ orderId, changedAt }) => `${orderId}/${changedAt}`,
  sentAt: ({ changedAt }) => changedAt,
  stages: {
    pack: { schema: Order, queueUrl: process.env['PACK_QUEUE'] },
    close: { schema: Order.extend({ parcel: z.string() }), queueUrl: process.env['CLOSE_QUEUE'] },
  },
  awaitingSteps: {
    parcel: {
      schema: z.object({ requestId: z.string(), parcel: z.string() }),
      id: ({ requestId }) => requestId,
      queueUrl: process.env['PARCEL_QUEUE'],
    },
  },
})

/** The first Lambda stores the awaited step, then asks the carrier. */
export const pack = delivery.stageHandler('pack', async ({ orderId }, ctx) => {
  const requestId = ctx.idempotencyKey('parcel')
  await ctx.awaitStep('parcel', requestId, () =>
    ctx.send(process.env['CARRIER_QUEUE'] ?? '', { requestId, orderId }),
  )
})

/** The carrier's answer, minutes or days later, finds the run by `requestId`. */
export const answered = delivery.answerHandler('parcel', ({ parcel }, ctx) =>
  ctx.next('close', { orderId: ctx.key, changedAt: ctx.sentAt, parcel }),
)

/** The last effect. Then the lock of this order is reset, and its next request may begin. */
export const close = delivery.stageHandler('close', async ({ orderId, parcel }, ctx) => {
  await ctx.write('ship', { TableName: 'orders', Key: { orderId }, set: { parcel } })
})
