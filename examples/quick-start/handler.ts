import { recordHandler } from 'lineclear'
import { dynamoDbStore } from 'lineclear/dynamodb'
import { z } from 'zod'

/** Your payment provider: the same key makes one charge. */
declare function charge(order: { orderId: string }, idempotencyKey: string): Promise<string>

const Order = z.object({ orderId: z.string(), sku: z.string(), quantity: z.number() })
const store = dynamoDbStore({ tableName: 'lineclear' })

export const handler = recordHandler(
  { name: 'orders', store, schema: Order, id: ({ orderId }) => orderId },
  async (order, ctx) => {
    const stock = { TableName: 'stock', Key: { sku: order.sku }, add: { reserved: order.quantity } }
    await ctx.write('reserve', stock)
    const receipt = await ctx.call('charge', ({ idempotencyKey }) => charge(order, idempotencyKey))
    await ctx.send(process.env['PAID_QUEUE'] ?? '', { orderId: order.orderId, receipt })
  },
)
