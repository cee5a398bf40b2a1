import { recordHandler } from 'lineclear'
import type { QueueHandler } from 'lineclear/local'
import { z } from 'zod'
import { charge } from './bank.ts'
import type { Shop } from './shop.ts'

/** `total` is in cents. */
export const Order = z.object({
  orderId: z.string(),
  sku: z.string(),
  total: z.number().int().positive(),
})

/** Reserves what was ordered, and charges it. */
export function orders({ options, tables, isRepaired }: Shop): QueueHandler {
  return recordHandler(
    {
      ...options,
      name: 'orders',
      schema: Order,
      retry: { maxAttempts: 2, delay: '1s' },
    },
    async ({ sku, total }, ctx) => {
      await ctx.write('reserve', {
        TableName: tables.stock,
        Key: { sku },
        add: { reserved: 1 },
      })
      await ctx.call('charge', ({ idempotencyKey }) =>
        charge(total, idempotencyKey, isRepaired('bank')),
      )
    },
  )
}
