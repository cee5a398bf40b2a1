import { recordHandler } from 'lineclear'
import { dynamoDbStore } from 'lineclear/dynamodb'
import { z } from 'zod'
import { charge } from '../payments-api/payments.ts'

const schema = z.object({ sku: z.string(), cents: z.number() })
const store = dynamoDbStore({ tableName: 'lineclear' })

export const handler = recordHandler({ name: 'orders', store, schema }, async (order, ctx) => {
  const { sku, cents } = order
  await ctx.write('reserve', { TableName: 'stock', Key: { sku }, add: { reserved: 1 } })
  await ctx.call('charge', ({ idempotencyKey }) => charge(cents, idempotencyKey))
})
