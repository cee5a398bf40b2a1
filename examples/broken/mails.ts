import { recordHandler, TerminalError } from 'lineclear'
import type { QueueHandler } from 'lineclear/local'
import { z } from 'zod'
import type { Shop } from './shop.ts'

const Mail = z.object({ mailId: z.string(), to: z.string(), text: z.string() })

/** Hands mails to a provider that knows no idempotency key. A mail to `slow@…` gets no answer in time. */
export function mails({ options }: Shop): QueueHandler {
  return recordHandler(
    {
      ...options,
      name: 'mails',
      schema: Mail,
      id: ({ mailId }) => mailId,
      retry: { maxAttempts: 2, delay: '1s' },
    },
    async ({ to }, ctx) => {
      await ctx.call('send', () => send(to), { ifUnknown: 'stop' })
    },
  )
}

async function send(to: string): Promise<string> {
  if (!to.includes('@')) throw new TerminalError(`no such address: ${to}`)
  if (to.startsWith('slow@')) await new Promise(() => {})
  return `accepted for ${to}`
}
