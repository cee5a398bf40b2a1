import { Logger } from '@aws-lambda-powertools/logger'
import { compensate, defineFlow, emfMetrics, exists } from 'lineclear'
import { dynamoDbStore } from 'lineclear/dynamodb'
import { z } from 'zod'
import { charge, voidCharge } from './payments.ts'

const Order = z.object({
  orderId: z.string(),
  changedAt: z.iso.datetime(),
  sku: z.string(),
  quantity: z.number(),
})
const reserved = (sku: string, by: number) =>
  ({ TableName: 'stock', Key: { sku }, add: { reserved: by } }) as const

const orders = defineFlow({
  name: 'changed-orders',
  store: dynamoDbStore({ tableName: 'lineclear' }),
  logger: new Logger({ serviceName: 'changed-orders' }),
  metrics: emfMetrics(),
  key: ({ orderId }) => orderId,
  sentAt: ({ changedAt }) => changedAt,
  // A changed order takes the place of the one before. What that one has done by then is undone.
  onConflict: 'supersede',
  stages: {
    reserve: {
      schema: Order,
      queueUrl: process.env['RESERVE_QUEUE'],
      undo: compensate(Order, {
        reserve: ({ sku, quantity }, ctx) => ctx.write('release', reserved(sku, -quantity)),
      }),
    },
    pay: {
      schema: Order,
      queueUrl: process.env['PAY_QUEUE'],
      final: true,
      undo: compensate(Order, {
        charge: (_order, ctx, made) => ctx.call('void', () => voidCharge(made.idempotencyKey)),
        // A newer order may be stored by now: a guard says what may be deleted.
        store: (_order, ctx, { uniqueRequestId: id }) =>
          ctx.write('remove', {
            TableName: 'placed',
            Key: { id },
            delete: true,
            guard: exists(),
          }),
      }),
    },
  },
})

export const reserve = orders.stageHandler('reserve', async (order, ctx) => {
  await ctx.write('reserve', reserved(order.sku, order.quantity))
  await ctx.next('pay', order)
})

export const pay = orders.stageHandler('pay', async ({ orderId, sku, quantity }, ctx) => {
  await ctx.call('charge', ({ idempotencyKey }) => charge(quantity * 100, idempotencyKey))
  const placed = { orderId, sku, quantity }
  const id = ctx.uniqueRequestId
  await ctx.write('store', { TableName: 'placed', Key: { id }, put: placed })
})

export const start = orders.start
