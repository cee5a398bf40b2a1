import { producer, recordHandler, TerminalError } from 'lineclear'
import { expect } from 'vitest'
import { z } from 'zod'
import { hide } from '../../../deliver/deliver.ts'
import { send } from '../../../flow/flowHarness.ts'
import { FLOW_REASONS } from './flowReasonCases.ts'
import type { Case, Cases } from './hand.ts'
import { peeked } from './peeked.ts'
import { HOUR, order, unknownOrder } from './plants.ts'

/** One order that fails, is repaired and redriven: it completes, and its effect stands once. */
function repaired(reason: string, why: Error): Case {
  return async (hand) => {
    const one = await hand.lane()
    const code = { broken: true }
    const handler = one.consumer(
      async (_order, ctx) => {
        await ctx.write('seat', one.seat)
        if (code.broken) throw why
      },
      { retry: { maxAttempts: 1 } },
    )
    await send(one.cloud, 'book', { n: 1 })
    await one.deliver('book', handler)
    expect(await peeked(hand, one, reason)).toContain(why.message)
    code.broken = false
    await hand.also('dlq redrive dead', one)
    await one.deliver('book', handler)
    expect([await one.seats(), one.waitingIn('dead')]).toEqual([1, 0])
  }
}

export const REASONS: Cases = {
  exhausted: repaired('exhausted', new Error('bank: 503')),
  terminal: repaired('terminal', new TerminalError('no such address')),

  rejected: async (hand) => {
    const one = await hand.lane()
    const ran: unknown[] = []
    const handler = recordHandler(
      { name: 'orders', ...one.options, schema: z.object({ n: z.number() }) },
      ({ n }) => void ran.push(n),
    )
    await send(one.cloud, 'book', { n: 'one' })
    await one.deliver('book', handler)
    const shown = await peeked(hand, one, 'rejected')
    expect(shown).toContain('expected number')
    const id = /^\S+/.exec(shown)?.[0] ?? ''
    expect(ran).toEqual([])
    expect((await hand.also(`dlq edit dead --id ${id} --set n=1`, one)).text).toContain('Done')
    await hand.also(`dlq redrive dead --id ${id}`, one)
    await one.deliver('book', handler)
    expect([ran, one.waitingIn('dead')]).toEqual([[1], 0])
  },

  'too old': async (hand) => {
    const one = await hand.lane()
    const { handler, state } = order(one, { retry: { maxAge: '1h' } })
    state.broken = false
    await send(one.cloud, 'book', { n: 1 })
    one.clock.advance(2 * HOUR)
    await one.deliver('book', handler)
    await peeked(hand, one, 'too old')
    expect(await one.seats()).toBe(0)
    await hand.also('dlq redrive dead', one)
    await one.deliver('book', handler)
    expect([await one.seats(), one.waitingIn('dead')]).toEqual([1, 0])
  },

  unknown: async (hand) => {
    const one = await hand.lane()
    const { handler, calls } = await unknownOrder(one)
    await peeked(hand, one, 'unknown')
    await hand.also('decide orders/r1 again --not-done charge', one)
    await hand.also('dlq redrive dead', one)
    await one.deliver('book', handler)
    expect([calls, one.waitingIn('dead')]).toEqual([['bank', 'bank', 'receipt 6'], 0])
  },

  conflict: async (hand) => {
    const one = await hand.lane()
    const ran: unknown[] = []
    const handler = recordHandler(
      { name: 'orders', ...one.options },
      (payload) => void ran.push(payload),
    )
    const { clients, clock } = one.options
    const sent = async (uniqueRequestId: string, n: number): Promise<void> => {
      const queueUrl = one.cloud.queueUrl('book')
      await producer({ clients, clock }).send(queueUrl, { n }, { uniqueRequestId })
      await one.deliver('book', handler)
    }
    await sent('r1', 1)
    await sent('r1', 2)
    expect(await peeked(hand, one, 'conflict')).toContain('another payload')
    await sent('r2', 2)
    expect(ran).toEqual([{ n: 1 }, { n: 2 }])
    expect((await hand.also('dlq discard dead --reason conflict', one)).text).toContain('Done')
    expect(one.waitingIn('dead')).toBe(0)
  },

  'wrong consumer': async (hand) => {
    for (const cure of ['its own queue', 'formerNames'] as const) {
      const one = await hand.lane()
      const own = order(one)
      await send(one.cloud, 'book', { n: 1 })
      await one.deliver('book', own.handler)
      const named = () => order(one, { name: 'sales' }).handler
      await hand.also('dlq redrive dead --to pay --force', one)
      await one.deliver('pay', named())
      await peeked(hand, one, 'wrong consumer')
      own.state.broken = false
      const renamed = one.consumer((_order, ctx) => ctx.write('seat', one.seat), {
        name: 'sales',
        formerNames: ['orders'],
      })
      const queue = cure === 'formerNames' ? 'pay' : 'book'
      await hand.also(`dlq redrive dead --to ${queue}`, one)
      await one.deliver(queue, cure === 'formerNames' ? renamed : own.handler)
      expect([cure, await one.seats(), one.waitingIn('dead')]).toEqual([cure, 1, 0])
    }
  },

  ...FLOW_REASONS,

  moved: async (hand) => {
    const one = await hand.lane()
    const { handler, state } = order(one)
    state.broken = false
    await send(one.cloud, 'moving', { n: 1 })
    for (let times = 0; times < 3; times++) {
      for (const record of await one.taken('moving')) await hide(one.cloud, 'moving', record)
    }
    expect(await peeked(hand, one, 'moved')).not.toMatch(/^ +error /m)
    expect(await hand.also('doctor --queue orders')).toMatchObject({ code: 1 })
    await hand.also('dlq redrive dead', one)
    await one.deliver('moving', handler)
    expect([await one.seats(), one.waitingIn('dead')]).toEqual([1, 0])
  },
}
