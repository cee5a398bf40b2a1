import { expect } from 'vitest'
import { send } from '../../../flow/flowHarness.ts'
import type { Case, Cases } from './hand.ts'
import { FLOW_STATES } from './flowStateCases.ts'
import { KEY_STATES } from './keyStateCases.ts'
import { HOUR, delayed, order, unknownOrder } from './plants.ts'

const ID = { ID: 'orders/r1' }

const killed: Case = async ({ lane, type }) => {
  const one = await lane()
  const { handler, calls, state } = order(one)
  state.broken = false
  await send(one.cloud, 'book', { n: 1 })
  const message = await one.kill('book', handler, 4)
  expect(await one.seats()).toBe(1)
  one.clock.advance(HOUR)
  expect((await one.typed('explain', 'orders/r1')).text).toContain('its attempt was lost')
  await one.copy('book', message)
  await one.deliver('book', handler)
  expect([await one.seats(), calls.filter((call) => call === 'receipt')]).toEqual([1, ['receipt']])

  const other = await lane()
  const again = order(other)
  again.state.broken = false
  await send(other.cloud, 'book', { n: 1 })
  const its = await other.kill('book', again.handler, 4)
  const released = await type('decide ID free', ID, other)
  expect([released.code, released.text]).toEqual([1, expect.stringContaining('--force')])
  other.clock.advance(HOUR)
  expect((await type('decide ID free', ID, other)).text).toContain('Done')
  await other.copy('book', its)
  await other.deliver('book', again.handler)
  expect(await other.seats()).toBe(1)
}

export const STATES: Cases = {
  'in progress, running': async ({ lane }) => {
    const one = await lane()
    const [begun, going] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
    const handler = one.consumer(async (_order, ctx) => {
      begun.resolve()
      await going.promise
      await ctx.write('seat', one.seat)
    })
    await send(one.cloud, 'book', { n: 1 })
    const delivered = one.deliver('book', handler)
    await begun.promise
    expect((await one.typed('explain', 'orders/r1')).text).toContain('running')
    going.resolve()
    expect(await delivered).toEqual({ came: 1, kept: 0 })
    expect(await one.seats()).toBe(1)
  },

  'in progress, its attempt was lost (stuck)': killed,

  'in progress, its next attempt is overdue': async ({ lane, type }) => {
    const one = await lane()
    const { handler, state } = order(one, { retry: { maxAttempts: 3, delay: '1m' } })
    await send(one.cloud, 'book', { n: 1 })
    await one.deliver('book', handler)
    await one.taken('book')
    one.clock.advance(HOUR)
    expect((await one.typed('explain', 'orders/r1')).text).toContain('next attempt is overdue')
    state.broken = false
    await send(one.cloud, 'book', { n: 1 })
    await one.deliver('book', handler)
    expect(await one.seats()).toBe(1)
    const done = await one.typed('explain', 'orders/r1')
    expect(done.text).toContain('done')

    const other = await lane()
    const gone = order(other, { retry: { maxAttempts: 3, delay: '1m' } })
    await send(other.cloud, 'book', { n: 1 })
    await other.deliver('book', gone.handler)
    other.clock.advance(HOUR)
    expect((await type('decide ID done', ID, other)).text).toContain('Done')
    await send(other.cloud, 'book', { n: 1 })
    await other.deliver('book', gone.handler)
    expect(gone.calls.filter((call) => call === 'bank')).toHaveLength(1)
  },

  dying: async ({ lane }) => {
    const one = await lane()
    const { handler, calls } = order(one)
    await send(one.cloud, 'book', { n: 1 })
    // Table: claim, seat, charge begun and ended, fenced for its dead letter; then that is sent.
    const message = await one.kill('book', handler, 6)
    expect((await one.typed('explain', 'orders/r1')).text).toContain('dead letter')
    expect((await one.typed('ls')).text).toContain('dying')
    one.clock.advance(HOUR)
    await one.copy('book', message)
    await one.deliver('book', handler)
    expect(one.waitingIn('dead')).toBe(1)
    expect(calls.filter((call) => call === 'bank')).toHaveLength(1)
  },

  'onFailure runs or is due': async ({ lane, also }) => {
    for (const isGone of [false, true]) {
      const one = await lane()
      const reported: string[] = []
      const { handler, state } = order(one, {
        onFailure: (_order, _ctx, end) => void reported.push(end.reason),
      })
      await send(one.cloud, 'book', { n: 1 })
      await one.deliver('book', handler)
      const due = await one.typed('explain', 'orders/r1')
      expect(due.text).toContain('onFailure runs when its message is redelivered')
      expect([one.waitingIn('dead'), reported]).toEqual([1, []])
      state.broken = false
      if (isGone) {
        await one.taken('book')
        one.clock.advance(HOUR)
        expect(await also('dlq redrive dead --id r1', one)).toMatchObject({ code: 0 })
      }
      await one.deliver('book', handler)
      // A death that is not final was redriven before it was reported: the request runs.
      expect([reported, await one.seats()]).toEqual([isGone ? [] : ['exhausted'], 1])
    }
  },

  'error (dead-lettered)': async ({ lane, type }) => {
    const one = await lane()
    const { handler, calls, state } = order(one)
    await send(one.cloud, 'book', { n: 1 })
    await one.deliver('book', handler)
    state.broken = false
    expect(await type('dlq redrive', { QUEUE: 'dead', ID: 'r1' }, one)).toMatchObject({ code: 0 })
    await one.deliver('book', handler)
    expect([await one.seats(), one.waitingIn('dead')]).toEqual([1, 0])
    expect(calls.filter((call) => call === 'bank')).toHaveLength(1)
    expect((await one.typed('ls')).text).toContain('Nothing is open')

    const other = await lane()
    const elsewhere = order(other)
    await send(other.cloud, 'book', { n: 1 })
    await other.deliver('book', elsewhere.handler)
    expect((await type('decide ID done', ID, other)).text).toContain('Done')
    await other.copy('book', await other.take('dead'))
    await other.deliver('book', elsewhere.handler)
    expect(elsewhere.calls.filter((call) => call === 'bank')).toHaveLength(1)
  },

  'error (dead-lettered), it is not wanted, and its onFailure is to take back what it made':
    async ({ lane, type }) => {
      const third = await lane()
      const ends: string[] = []
      const told = order(third, { onFailure: (_order, _ctx, end) => void ends.push(end.as) })
      await send(third.cloud, 'book', { n: 1 })
      for (const _act of [1, 2]) await third.deliver('book', told.handler)
      third.clock.advance(2 * HOUR)
      expect((await type('decide ID drop', ID, third)).text).toContain('Done')
      told.state.broken = false
      await third.copy('book', await third.take('dead'))
      await third.deliver('book', told.handler)
      expect(ends).toEqual(['dead', 'dropped'])
      expect(told.calls.filter((call) => call === 'bank')).toHaveLength(1)
    },

  unknown: async ({ lane, type, also }) => {
    const one = await lane()
    const { handler, calls } = await unknownOrder(one)
    expect((await type('decide ID again', ID, one)).text).toContain('Done')
    await also('dlq redrive dead --id r1', one)
    await one.deliver('book', handler)
    expect(calls).toEqual(['bank', 'receipt 5'])
    expect(await one.seats()).toBe(1)
  },

  'unknown, the call was not made': async ({ lane, type, also }) => {
    const one = await lane()
    const { handler, calls } = await unknownOrder(one)
    expect((await type('decide ID again', ID, one)).text).toContain('Done')
    await also('dlq redrive dead --id r1', one)
    await one.deliver('book', handler)
    expect(calls).toEqual(['bank', 'bank', 'receipt 6'])
    expect(await one.seats()).toBe(1)
  },

  'unknown, everything was done': async ({ shop, type, also }) => {
    const { text } = await type('decide ID done', { ID: 'mails/mail-31' }, undefined)
    expect(text).toMatch(/call 'send': begun, outcome unknown[\s\S]*Done/)
    const redriven = await also('dlq redrive mails-dead --id mail-31')
    expect(redriven.code).toBe(0)
    expect((await also('dlq groups mails-dead --reason unknown')).text).toContain('looked at')
    expect((await shop.type('ls', '--status', 'unknown', '--consumer', 'mails')).out).toContain(
      'Nothing is open',
    )
  },

  'unknown, the same happened to many': async ({ lane, type, also }) => {
    const one = await lane()
    const calls: string[] = []
    const hangsUp = one.consumer(
      async (_order, ctx) => {
        const charge = () => {
          calls.push(ctx.uniqueRequestId)
          if (calls.length <= 3) throw new Error('socket hang up')
        }
        await ctx.call('charge', charge, { ifUnknown: 'stop' })
      },
      { id: (payload) => `r${(payload as { n: number }).n}` },
    )
    for (const n of [1, 2, 3]) await send(one.cloud, 'book', { n })
    await one.deliver('book', hangsUp)
    const { text } = await type('decide', {}, one)
    const group = /^([0-9a-f]{8}) +3 +orders +unknown +charge/m.exec(text)?.[1] ?? ''
    const reopened = await also(`decide ${group} again --not-done charge`, one)
    expect(reopened.text).toContain('3 changed')
    await also(`dlq redrive --all --group ${group}`, one)
    await one.deliver('book', hangsUp)
    expect(calls.slice(3).toSorted()).toEqual(['r1', 'r2', 'r3'])
    expect((await one.typed('ls')).text).toContain('Nothing is open')
  },

  later: async ({ lane, type, also }) => {
    const { one, id } = await delayed(await lane())
    const { text } = await type('decide later/ID drop', { 'later/ID': id }, one)
    expect(text).toContain('Done')
    one.clock.advance(25 * HOUR)
    await also('sweep --apply', one)
    expect(one.waitingIn('outside')).toBe(0)
  },

  ...KEY_STATES,
  ...FLOW_STATES,
}
