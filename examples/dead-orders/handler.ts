import { Logger } from '@aws-lambda-powertools/logger'
import { compensate, emfMetrics, recordHandler } from 'lineclear'
import { dynamoDbStore } from 'lineclear/dynamodb'
import { z } from 'zod'
import { charge, voidCharge } from '../orders-supersede/payments.ts'
import { bookParcel } from './carrier.ts'

const Order = z.object({ orderId: z.string(), sku: z.string(), country: z.string() })
const reserved = (sku: string, by: number) =>
  ({ TableName: 'stock', Key: { sku }, add: { reserved: by } }) as const

export const handler = recordHandler(
  {
    name: 'shipments',
    store: dynamoDbStore({ tableName: 'lineclear' }),
    schema: Order,
    id: ({ orderId }) => orderId,
    undo: compensate(Order, {
      reserve: ({ sku }, ctx) => ctx.write('release', reserved(sku, -1)),
      charge: (_order, ctx, made) => ctx.call('void', () => voidCharge(made.idempotencyKey)),
      book: 'keep',
    }),
    // Without it an operator decides: redrive the dead letter, or `lineclear decide shipments/ID undo`.
    undoDead: true,
    logger: new Logger({ serviceName: 'shipments' }),
    metrics: emfMetrics(),
  },
  async ({ orderId, sku, country }, ctx) => {
    await ctx.write('reserve', reserved(sku, 1))
    await ctx.call('charge', ({ idempotencyKey }) => charge(500, idempotencyKey))
    await ctx.call('book', () => bookParcel(orderId, country))
  },
)
