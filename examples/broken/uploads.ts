import { setTimeout as sleep } from 'node:timers/promises'
import { recordHandler } from 'lineclear'
import type { QueueHandler } from 'lineclear/local'
import { z } from 'zod'
import type { Shop } from './shop.ts'

const Upload = z.object({ picture: z.string() })

/** Scales pictures, two a second. Each message has its tenant in an attribute. */
export function uploads({ options }: Shop): QueueHandler {
  return recordHandler({ ...options, name: 'uploads', schema: Upload }, async () => {
    await sleep(500)
  })
}
