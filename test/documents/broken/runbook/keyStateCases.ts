import { idempotent, onceForever, recordHandler, UnknownOutcomeError } from 'lineclear'
import { expect } from 'vitest'
import { send } from '../../../flow/flowHarness.ts'
import { sqsWith } from '../../../flow/outages.ts'
import type { Cases } from './hand.ts'
import type { Lane } from './lane.ts'
import { HOUR } from './plants.ts'

const ID = { ID: 'payments/p1' }

/** A payment of which the bank has not said whether it was made. */
async function unknownPayment({ store, clock, options: { logger } }: Lane) {
  const calls: string[] = []
  const pay = idempotent(
    { store, clock, logger, name: 'payments', hash: 'plain', key: ({ id }: { id: string }) => id },
    async ({ id }: { readonly id: string }) => {
      calls.push(id)
      if (calls.length === 1) throw new UnknownOutcomeError('bank: connection reset')
      return 'receipt 2'
    },
  )
  const call = () => pay({ id: 'p1' })
  await expect(call()).rejects.toThrow(/connection reset|unknown/)
  return { calls, call }
}

export const KEY_STATES: Cases = {
  'error or unknown of a key (idempotent, lockTokens)': async ({ lane, type }) => {
    const one = await lane()
    const { calls, call } = await unknownPayment(one)
    await expect(call()).rejects.toThrow(/connection reset|unknown/)
    const { text } = await type('decide ID done', { ...ID, JSON: '"receipt 5"' }, one)
    expect(text).toContain('Done')
    expect(await call()).toBe('receipt 5')
    expect(calls).toHaveLength(1)
  },

  'error or unknown of a key (idempotent, lockTokens), not done': async ({ lane, type }) => {
    const one = await lane()
    const { calls, call } = await unknownPayment(one)
    expect((await type('decide ID free', ID, one)).text).toContain('Done')
    expect(await call()).toBe('receipt 2')
    expect(calls).toHaveLength(2)
  },

  'event accepted': async ({ lane }) => {
    for (const by of ['the duplicate', 'the sweeper'] as const) {
      const one = await lane()
      const { store, clock, cloud } = one
      const queue = { isDown: true }
      const sqs = sqsWith(cloud, () => {
        if (queue.isDown) throw new Error('the queue is away')
      })
      const { logger } = one.options
      const events = onceForever({ store, name: 'callbacks', clock, logger, clients: { sqs } })
      const accept = () => events.thenEnqueue('tx-1', 1, { queueUrl: cloud.queueUrl('outside') })
      await expect(accept()).rejects.toThrow(/tx-1|queue/)
      expect((await one.typed('explain', 'callbacks/tx-1')).text).toContain('accepted')
      expect(one.waitingIn('outside')).toBe(0)
      queue.isDown = false
      clock.advance(HOUR)
      if (by === 'the duplicate') await accept()
      else await one.typed('sweep', '--apply')
      expect(one.waitingIn('outside')).toBe(1)
      await accept()
      expect(one.waitingIn('outside')).toBe(1)
    }
  },

  'a key that a caller reports (an Idempotency-Key)': async ({ type }) => {
    const { code, text } = await type('explain', { NAME: 'payments', KEY: 'checkout-71' })
    expect([code, text]).toEqual([0, expect.stringContaining('bank: connection reset')])
    expect(text).toMatch(/lineclear --local decide payments\/[0-9a-f]{64} free/)
  },

  done: async ({ lane, type }) => {
    const one = await lane()
    const ids: string[] = []
    const handler = one.consumer(async (_order, ctx) => {
      await ctx.write('seat', one.seat)
      const sent = await ctx.send(one.cloud.queueUrl('pay'), { secret: 'the pin' })
      ids.push(sent.uniqueRequestId)
    })
    await send(one.cloud, 'book', { n: 1 })
    await one.deliver('book', handler)
    await one.deliver(
      'pay',
      recordHandler({ name: 'pays', ...one.options }, () => {}),
    )
    const { code, text } = await type('explain ID', { ID: 'orders/r1' }, one)
    expect([code, text]).toEqual([0, expect.stringMatching(/done[\s\S]*seat/)])
    expect(text).toContain(ids[0])
    expect(text).not.toContain('the pin')
    const next = await type(
      'explain CONSUMER',
      { 'CONSUMER/ID-OF-THE-MESSAGE': `pays/${ids[0]}` },
      one,
    )
    expect([next.code, next.text]).toEqual([0, expect.stringContaining('done')])
  },

  'not found': async ({ type, also }) => {
    const { code, text } = await type('explain', { ID: 'order-99' })
    expect([code, text]).toEqual([4, expect.stringContaining('order-99')])
    expect(await also('explain parcel-54-france --scan')).toMatchObject({ code: 0 })
  },
}
