import { recordHandler } from 'lineclear'
import type { QueueHandler } from 'lineclear/local'
import { z } from 'zod'
import type { Shop } from './shop.ts'

const Label = z.object({ orderId: z.string() })

/** Prints address labels. */
export function labels({ options, tables, isRepaired }: Shop): QueueHandler {
  return recordHandler(
    {
      ...options,
      name: 'labels',
      schema: Label,
      retry: { maxAttempts: 5, delay: '1s' },
    },
    async ({ orderId }, ctx) => {
      await ctx.call('print', () => {
        if (isRepaired('printer')) return
        throw new Error(`printer: jammed at ${orderId}`)
      })
      await ctx.write('count', {
        TableName: tables.stock,
        Key: { sku: 'label' },
        add: { printed: 1 },
      })
    },
  )
}
