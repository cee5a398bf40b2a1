import { setTimeout as sleep } from 'node:timers/promises'
import { producer } from 'lineclear'
import type { Shop } from '../../broken/shop.ts'

/** Messages in a second: more than the function takes. */
const RATE = 10
/** A demo may stay up for hours. */
const MOST = 6_000

/** One tenant sends without a pause, so that its messages delay the messages of the others, until it is repaired. */
export async function flood(shop: Shop, signal: AbortSignal): Promise<void> {
  await sendAs('acme', 15 * RATE)
  for (const tenant of ['ben', 'cleo']) await sendAs(tenant, 2)
  for (let sent = 0; sent < MOST && !shop.isRepaired('tenant') && !signal.aborted; sent += RATE) {
    await sendAs('acme', RATE)
    await sleep(1_000, undefined, { signal }).catch(() => {})
  }

  async function sendAs(tenant: string, number: number): Promise<void> {
    const { clients, clock } = shop.options
    const one = { payload: { picture: `of ${tenant}` }, attributes: { tenant } }
    await producer({ clients, clock }).sendMany(
      shop.cloud.queueUrl('uploads'),
      Array.from({ length: number }, () => one),
    )
  }
}
