import { recordHandler } from 'lineclear'
import type { QueueHandler } from 'lineclear/local'
import { z } from 'zod'
import type { Shop } from './shop.ts'

const Notice = z.object({ to: z.string() })
export const NOTICES = ['newsletters', 'reminders', 'gifts'] as const

/** Three functions that print a letter. The printer jams at night. */
export function notices(
  { options, tables, isRepaired }: Shop,
  name: (typeof NOTICES)[number],
): QueueHandler {
  return recordHandler(
    { ...options, name, schema: Notice, retry: { maxAttempts: 2, delay: '1s' } },
    async ({ to }, ctx) => {
      if (!isRepaired('printer')) throw new Error(`printer: jammed at ${to}`)
      await ctx.write('count', {
        TableName: tables.stock,
        Key: { sku: name },
        add: { printed: 1 },
      })
    },
  )
}
