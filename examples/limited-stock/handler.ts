import { Logger } from '@aws-lambda-powertools/logger'
import { atLeast, emfMetrics, recordHandler } from 'lineclear'
import { dynamoDbStore } from 'lineclear/dynamodb'
import { z } from 'zod'

const OrderPlaced = z.object({
  orderId: z.string(),
  sku: z.string(),
  quantity: z.number().int().positive(),
})

/** Sells no more than the stock: it is compared and reduced in one write, once for each order. */
export const handler = recordHandler(
  {
    name: 'reservations',
    store: dynamoDbStore({ tableName: 'lineclear' }),
    schema: OrderPlaced,
    id: ({ orderId }) => orderId,
    logger: new Logger({ serviceName: 'reservations' }),
    metrics: emfMetrics(),
  },
  async ({ orderId, sku, quantity }, ctx) => {
    const reserve = {
      TableName: 'stock',
      Key: { sku },
      add: { available: -quantity },
      guard: atLeast('available', quantity),
    }
    const reserved = await ctx.call(
      'reserved',
      async () => (await ctx.write('reserve', reserve)).applied,
    )
    const answer = reserved ? 'reserved' : 'sold out'
    await ctx.send(process.env['ANSWERS_QUEUE'] ?? '', { orderId, answer })
  },
)
