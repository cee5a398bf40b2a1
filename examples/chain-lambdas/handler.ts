import { Logger } from '@aws-lambda-powertools/logger'
import { defineFlow, emfMetrics } from 'lineclear'
import { dynamoDbStore } from 'lineclear/dynamodb'
import { z } from 'zod'
import { pay } from './payments.ts'

const Cart = z.object({ cartId: z.string(), orderedAt: z.iso.datetime() })

const checkout = defineFlow({
  name: 'checkout',
  store: dynamoDbStore({ tableName: 'lineclear' }),
  logger: new Logger({ serviceName: 'checkout' }),
  metrics: emfMetrics(),
  key: ({ cartId }) => cartId,
  sentAt: ({ orderedAt }) => orderedAt,
  onConflict: 'supersede',
  stages: {
    validate: {
      schema: Cart.extend({ items: z.number() }),
      queueUrl: process.env['VALIDATE_QUEUE'],
    },
    charge: {
      schema: Cart.extend({ total: z.number() }),
      queueUrl: process.env['CHARGE_QUEUE'],
      final: true,
    },
  },
})

/** The first Lambda. */
export const validate = checkout.stageHandler(
  'validate',
  async ({ cartId, orderedAt, items }, ctx) => {
    await ctx.write('validated', {
      TableName: 'carts',
      Key: { cartId },
      set: { state: 'validated', items },
    })
    await ctx.next('charge', { cartId, orderedAt, total: items * 3 })
  },
)

/** The second Lambda. When it has ended, the cart is free for the next request. */
export const charge = checkout.stageHandler('charge', async ({ cartId, total }, ctx) => {
  const receipt = await ctx.call('pay', ({ idempotencyKey }) => pay(total, idempotencyKey))
  await ctx.write('sale', { TableName: 'sales', Key: { id: 'all' }, add: { count: 1, total } })
  await ctx.write('charged', {
    TableName: 'carts',
    Key: { cartId },
    set: { state: 'charged', receipt },
  })
})

export const start = checkout.start
