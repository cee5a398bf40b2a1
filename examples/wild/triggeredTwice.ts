import { recordHandler } from 'lineclear'
import { memoryCloud } from 'lineclear/testing'

/**
 * https://github.com/triggerdotdev/trigger.dev/issues/4627 (Trigger.dev 4.8): the key decides whether a run is triggered. A run
 * that fails begins again at its first line, and charges again.
 */
function sendMail(attempt: number): void {
  if (attempt === 1) throw new Error('the mail server is down')
}

export async function before(): Promise<object> {
  const triggered = new Set<string>()
  let charges = 0
  const run = async (attempt: number): Promise<void> => {
    charges += 1
    sendMail(attempt)
  }
  const trigger = async (idempotencyKey: string): Promise<void> => {
    if (triggered.has(idempotencyKey)) return
    triggered.add(idempotencyKey)
    await run(1).catch(() => run(2))
  }
  await trigger('order-1')
  await trigger('order-1')
  return { charges }
}

export async function after(): Promise<object> {
  const cloud = memoryCloud({ queues: { orders: {} } })
  const { store, clients, clock, logger } = cloud
  let charges = 0
  const options = { name: 'orders', store, clients, clock, logger, id: () => 'order-1' }
  const orders = recordHandler(options, async (_, ctx) => {
    await ctx.call('charge', async () => (charges += 1))
    sendMail(ctx.attempt)
  })
  cloud.send('orders', {})
  cloud.send('orders', {})
  await cloud.drain({ orders })
  return { charges }
}
