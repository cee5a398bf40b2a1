import { recordHandler } from 'lineclear'
import type { QueueHandler } from 'lineclear/local'
import { z } from 'zod'
import type { Shop } from './shop.ts'

const Scan = z.object({ shelf: z.string() })

/** Counts what lies on the shelves. Their table has too little throughput. */
export function scans({ options, tables }: Shop): QueueHandler {
  return recordHandler(
    { ...options, name: 'scans', schema: Scan, retry: { maxAttempts: 3, delay: '2s' } },
    async ({ shelf }, ctx) => {
      await ctx.write('count', {
        TableName: tables.shelves,
        Key: { shelf },
        add: { scanned: 1 },
      })
    },
  )
}
