import { emfMetrics, recordHandler } from 'lineclear'
import { dynamoDbStore } from 'lineclear/dynamodb'
import { z } from 'zod'

const store = dynamoDbStore({ tableName: process.env['LINECLEAR_TABLE'] ?? '' })
const schema = z.object({ orderId: z.string(), sku: z.string(), quantity: z.number() })

export const handler = recordHandler(
  { name: 'orders', store, schema, id: ({ orderId }) => orderId, metrics: emfMetrics() },
  async ({ sku, quantity }, ctx) => {
    await ctx.applyOnce('reserve', {
      TableName: 'stock',
      Key: { sku },
      add: { reserved: quantity },
    })
  },
)
