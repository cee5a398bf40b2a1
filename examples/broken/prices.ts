import { recordHandler } from 'lineclear'
import type { QueueHandler } from 'lineclear/local'
import { z } from 'zod'
import type { Shop } from './shop.ts'

const Item = z.object({ sku: z.string(), net: z.number().optional() })

/** Version 42 of what the three functions share: a field has got another name. */
export const VERSION = '42'
export const PRICED = ['baskets', 'bills', 'offers'] as const

/** A function that needs a price. All three were deployed together. */
export function priced({ options, isRepaired }: Shop, name: (typeof PRICED)[number]): QueueHandler {
  const handler = recordHandler(
    { ...options, name, schema: Item, retry: { maxAttempts: 1 } },
    ({ sku, net }) => {
      if (net === undefined && !isRepaired('deployment')) {
        throw new TypeError(`prices: ${sku} has no net price`)
      }
    },
  )
  return (event, context) => handler(event, { ...context, functionVersion: VERSION })
}
