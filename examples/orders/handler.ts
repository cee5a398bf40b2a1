import { Logger } from '@aws-lambda-powertools/logger'
import { emfMetrics, recordHandler, snsTopic } from 'lineclear'
import { dynamoDbStore } from 'lineclear/dynamodb'
import { z } from 'zod'
import { charge } from './payments.ts'

const OrderPlaced = z.object({ orderId: z.string(), sku: z.string(), quantity: z.number() })
const store = dynamoDbStore({ tableName: 'lineclear' })

export const handler = recordHandler(
  {
    name: 'orders',
    store,
    schema: OrderPlaced,
    envelopes: [snsTopic(process.env['ORDERS_TOPIC'] ?? '')],
    logger: new Logger({ serviceName: 'orders' }),
    metrics: emfMetrics(),
  },
  async ({ orderId, sku, quantity }, ctx) => {
    await ctx.write('reserve', {
      TableName: 'stock',
      Key: { sku },
      add: { reserved: quantity },
    })
    const receipt = await ctx.call('charge', ({ idempotencyKey }) =>
      charge(orderId, idempotencyKey),
    )
    await ctx.publish(process.env['PAID_TOPIC'] ?? '', { orderId, receipt })
  },
)
