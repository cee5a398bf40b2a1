import { storedDelays } from 'lineclear'
import { expect } from 'vitest'
import { send } from '../../../flow/flowHarness.ts'
import type { Lane } from './lane.ts'

export const MINUTE = 60_000
export const HOUR = 3_600_000
const once = { ifUnknown: 'stop' } as const

/** An order that reserves a seat and charges, and whose handler then fails until it is repaired. */
export function order(lane: Lane, more: Parameters<Lane['consumer']>[1] = {}) {
  const calls: string[] = []
  const state = { broken: true }
  const handler = lane.consumer(
    async (_order, ctx) => {
      await ctx.write('seat', lane.seat)
      calls.push(await ctx.call('charge', () => (calls.push('bank'), 'receipt')))
      if (state.broken) throw new Error('no paper')
    },
    { retry: { maxAttempts: 1 }, ...more },
  )
  return { handler, calls, state }
}

/** An order whose charge has an unknown outcome; the bank hangs up once. */
export async function unknownOrder(lane: Lane) {
  const calls: unknown[] = []
  const handler = lane.consumer(async (_order, ctx) => {
    await ctx.write('seat', lane.seat)
    const charge = () => {
      calls.push('bank')
      if (calls.length === 1) throw new Error('socket hang up')
      return 'receipt 6'
    }
    calls.push(await ctx.call('charge', charge, once))
  })
  await send(lane.cloud, 'book', { n: 1 })
  await lane.deliver('book', handler)
  expect((await lane.typed('explain', 'orders/r1')).text).toContain('outcome unknown')
  return { handler, calls }
}

/** An order whose reminder waits for a day. */
export async function delayed(one: Lane, to = one.cloud.queueUrl('outside')) {
  const ids: string[] = []
  const handler = one.consumer(
    async (payload, ctx) => {
      const { uniqueRequestId } = await ctx.send(to, payload, { delay: '24h' })
      ids.push(uniqueRequestId)
    },
    { delays: storedDelays() },
  )
  await send(one.cloud, 'book', { n: 1 })
  await one.deliver('book', handler)
  return { one, id: `later/${ids[0]}` }
}
