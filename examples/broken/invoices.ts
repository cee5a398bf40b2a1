import { recordHandler } from 'lineclear'
import type { QueueHandler } from 'lineclear/local'
import { z } from 'zod'
import { charge } from './bank.ts'
import type { Shop } from './shop.ts'

const Invoice = z.object({ invoiceId: z.string(), total: z.number().int().positive() })

/** Collects monthly invoices from the bank, and tries again for days. */
export function invoices({ options, isRepaired }: Shop): QueueHandler {
  return recordHandler(
    {
      ...options,
      name: 'invoices',
      schema: Invoice,
      retry: { maxAttempts: 1_000, delay: '5s' },
    },
    async ({ total }, ctx) => {
      await ctx.call('collect', ({ idempotencyKey }) =>
        charge(total, idempotencyKey, isRepaired('bank')),
      )
    },
  )
}
