import {
  circuitBreaker,
  idempotent,
  invocationHandler,
  type Store,
  sweepHandler,
  UnknownOutcomeError,
} from 'lineclear'
import { expect } from 'vitest'
import { hide } from '../../../deliver/deliver.ts'
import { lambdaContext } from '../../../deliver/lambdaContext.ts'
import { send } from '../../../flow/flowHarness.ts'
import type { Case, Cases } from './hand.ts'
import { delayed, HOUR, MINUTE, order } from './plants.ts'
import { clientsOf } from './shopClients.ts'

interface Keyed {
  readonly id: string
}
const idOf = ({ id }: Keyed): string => id

/** `Orders…` stands for any consumer, `Payments…` for any other function. */
const INVOICES = { orders: 'invoices' }

/** What is wrong with the queue, the subscription or the mapping: as far as a local cloud has it. */
const doctor: Case = async ({ type }) => {
  const { code, text } = await type('doctor', { QUEUE: 'orders' })
  expect(code).toBe(1)
  expect(text).toMatch(/^error +\S+orders-dead[\s\S]*Cure: [\s\S]*https:\/\/docs\.aws/)
}

export const ALARMS: Cases = {
  OrdersDeadLettersAlarm: async ({ shop, type, also }) => {
    const { code, text } = await type('dlq groups', { QUEUE: 'orders-dead' })
    expect([code, text]).toEqual([0, expect.stringContaining('rejected')])
    const NAME = /^([0-9a-f]{8}) +6 +orders +exhausted +.*bank/m.exec(text)?.[1] ?? ''
    const { orders, reserved } = await clientsOf(shop)
    const stays = await type('dlq redrive', { QUEUE: 'orders-dead', NAME })
    expect(stays.code).toBe(1)
    expect(stays.text).toMatch(/3 dead letters sent[\s\S]*failed again[\s\S]*The rest stays/)
    await shop.fix('bank')
    await expect.poll(orders, { timeout: 20_000 }).toBe(8)
    const done = await type('dlq redrive', { QUEUE: 'orders-dead', NAME })
    expect(done).toMatchObject({ code: 0 })
    expect(done.text).toContain('6 of the first ones sent have completed')
    expect(await reserved('apple')).toBe(6)
    expect((await also('ls --consumer orders')).text).toContain('Nothing is open')
  },

  'WaitingForOperatorAlarm (waitingTasks)': async ({ type, also }) => {
    const { code, text } = await type('ls')
    expect([code, text]).toEqual([0, expect.stringContaining('bank: 503')])
    const rows = text.split('\n').filter((line) => /^(error|unknown|dead) /.test(line))
    expect(rows).toHaveLength(12)
    for (const row of rows) {
      const [, ID = '', request = ''] = row.split(/ +/)
      const explained = row.startsWith('dead')
        ? await also(`explain ${ID} --request ${request}`)
        : await type('explain', { ID })
      expect(explained.text).toMatch(/next: .*lineclear /)
    }
  },

  'OverdueAlarm (missingTasks)': async ({ shop, type, also }) => {
    // What the bad deployment has left fills the first page of each list.
    await shop.fix('deployment')
    const { text: repaired } = await also('dlq redrive --all --group 088aad5f')
    expect(repaired).toContain('100 of the first ones sent have completed')
    const { text } = await type('ls --due')
    expect(text).toMatch(/^inProgress +labels\/label-41 .*its attempt was lost/m)
    const { sendInto, printed } = await clientsOf(shop)
    const released = await type('decide ID free', { ID: 'labels/label-41' })
    expect(released.text).toContain('Done')
    await sendInto('labels', 'label-41', { orderId: 'order-9' })
    await expect.poll(() => printed(), { timeout: 20_000 }).toBe(1)
    const reset = await also('decide parcels/parcel-53 free')
    expect(reset.text).toContain('Done')
    const after = await also('explain parcels/parcel-53')
    expect(after.text).toContain('the key is free')
  },

  'OpenCircuitAlarm (openCircuits)': async ({ lane, type }) => {
    const one = await lane()
    const bank = { isDown: true }
    const work = one.consumer(
      async (_order, ctx) => {
        if (bank.isDown) throw new Error('bank is down')
        await ctx.write('seat', one.seat)
        expect(ctx.attempt).toBeLessThanOrEqual(2)
      },
      {
        circuitBreaker: circuitBreaker({ after: 1, when: () => true }),
        retry: { transport: 'visibility', maxAttempts: 2 },
      },
    )
    await send(one.cloud, 'book', { n: 1 })
    await one.deliver('book', work)
    const { code, text } = await type('status', {}, one)
    expect([code, text]).toEqual([
      1,
      expect.stringMatching(/circuitOpen +1 of orders .*bank is down/),
    ])
    for (let times = 0; times < 3; times++) await one.deliver('book', work)
    one.clock.advance(HOUR)
    expect((await type('status', {}, one)).text).not.toContain('overdue')
    bank.isDown = false
    for (let times = 0; times < 3; times++) await one.deliver('book', work)
    expect(await one.seats()).toBe(1)
    expect((await type('status', {}, one)).text).not.toContain('circuitOpen')
  },

  'DelayedAlarm (oldestDelayed)': async ({ lane, type }) => {
    const one = await lane()
    const { id } = await delayed(one, `${one.cloud.queueUrl('outside')}-deleted`)
    one.clock.advance(25 * HOUR)
    const { code, text } = await type('ls', {}, one)
    expect([code, text]).toEqual([0, expect.stringContaining('to outside-deleted')])
    const explained = await type('explain', { 'later/ID': id }, one)
    expect([explained.code, explained.text]).toEqual([
      0,
      expect.stringContaining('outside-deleted'),
    ])
    const { store, clock, options } = one
    await sweepHandler({ store, clock, logger: options.logger, clients: { sqs: one.cloud.sqs } })()
    expect(
      one.lines.find(({ message }) => message.startsWith('delayed messages were not sent')),
    ).toEqual(expect.objectContaining({ error: expect.stringMatching(/queue/i) }))
  },

  SweeperSilentAlarm: async ({ lane, type }) => {
    const one = await lane()
    await delayed(one)
    one.clock.advance(25 * HOUR)
    expect((await type('sweep', {}, one)).text).toMatch(/delayed +1 sent/)
    expect(one.waitingIn('outside')).toBe(1)
    await type('sweep', {}, one)
    expect(one.waitingIn('outside')).toBe(1)
  },

  InProgressAlarm: async ({ type }) => {
    const { code, text } = await type('ls --count')
    expect(code).toBe(0)
    expect(text).toMatch(/^OF +STATUS +NUMBER +OVERDUE +EARLIEST DUE\n/)
    expect(text).toMatch(/^invoices +inProgress +3 +\d+ /m)
    expect(text).toMatch(/^labels +inProgress +1 +1 +[23] hours( \d+ min)? ago$/m)
  },

  OrdersAgeAlarm: async ({ lane, type }) => {
    expect((await type('ls --count', INVOICES)).text).toMatch(/^invoices +inProgress +3 /m)
    expect((await type('status')).text).toMatch(/no consumer {2}4 of newsletters/)
    const one = await lane()
    await send(one.cloud, 'book', { n: 1 })
    const { code, text } = await type('ls --count', {}, one)
    expect([code, text]).toEqual([0, expect.stringContaining('Nothing is open')])
  },

  'OrdersUnendedAlarm, PaymentsUnendedAlarm (lostAttempts; for functions examples/deploy only)':
    async ({ type }) => {
      const { code, text } = await type('ls', { orders: 'labels' })
      expect(code).toBe(0)
      expect(text).toMatch(/labels\/label-41 +2 .*its attempt was lost.*printer: jammed/)
    },

  OrdersErrorsAlarm: doctor,

  // That Lambda refuses an invocation can be had in an account only.
  'OrdersThrottlesAlarm, PaymentsThrottlesAlarm': async ({ lane }) => {
    const one = await lane()
    const { handler, state } = order(one)
    state.broken = false
    await send(one.cloud, 'book', { n: 1 })
    expect(one.waitingIn('book')).toBe(1)
    await one.deliver('book', handler)
    expect(await one.seats()).toBe(1)
  },

  OrdersDurationAlarm: async ({ type }) => {
    const retried = /^inProgress +invoices\/invoice-\d +([2-9]|\d\d) /gm
    const counted = async () => (await type('ls', INVOICES)).text.match(retried)?.length
    await expect.poll(counted, { timeout: 20_000 }).toBe(3)
  },

  'PaymentsErrorsAlarm, PaymentsDurationAlarm': async ({ type }) => {
    const { code, text } = await type('ls')
    expect([code, text]).toEqual([0, expect.stringMatching(/unknown +payments\/.*bank: conn/)])
  },

  'PaymentsRefusingAlarm (misconfigured, unavailable, notStored, notQueued; examples/deploy only)':
    async ({ lane, type, also }) => {
      const one = await lane()
      const table = { isDown: false }
      const update: Store['update'] = (writes) =>
        table.isDown ? Promise.reject(new Error('the table is away')) : one.store.update(writes)
      const store = { ...one.store, update }
      const { clock, options } = one
      const charge = idempotent(
        {
          store,
          clock,
          logger: options.logger,
          name: 'payments',
          hash: 'plain',
          key: idOf,
        },
        async (_payment: Keyed) => {
          table.isDown = calls.push('charge') === 1
          return 'receipt'
        },
      )
      const calls: string[] = []
      await charge({ id: '' }).catch(() => {})
      expect(
        one.lines.some(({ message, why }) => /not run/.test(message) && why !== undefined),
      ).toBe(true)
      await charge({ id: 'p1' }).catch(() => {})
      expect(calls).toHaveLength(1)
      table.isDown = false
      const { text } = await also('explain --name payments --key p1', one)
      expect(text).toMatch(/running/)
      one.clock.advance(HOUR)
      // The sweeper does it each minute.
      await also('sweep --search --apply', one)
      expect((await type('ls', {}, one)).text).toContain('its attempt was lost')
      await charge({ id: 'p1' })
      expect((await type('ls', {}, one)).text).toContain('Nothing is open')
    },

  SettlementUndoneAlarm: async ({ lane, type }) => {
    const one = await lane()
    const bank = { isDown: true }
    const { store, clock, options } = one
    const { logger, clients } = options
    const own = { name: 'settlement', store, clock, logger, clients }
    const settle = invocationHandler({ ...own, key: idOf }, async ({ id }: Keyed, ctx) => {
      if (id === 'unknown') throw new UnknownOutcomeError('bank: connection reset')
      await ctx.write('seat', one.seat)
      if (bank.isDown) throw new Error('bank: 503')
    })
    for (let times = 0; times < 3; times++) {
      await expect(settle({ id: 'night' }, lambdaContext())).rejects.toThrow('503')
      clock.advance(MINUTE)
    }
    expect((await type('ls', {}, one)).text).toContain('Nothing is open')
    bank.isDown = false
    await settle({ id: 'night' }, lambdaContext())
    expect(await one.seats()).toBe(1)
    await expect(settle({ id: 'unknown' }, lambdaContext())).rejects.toThrow('connection reset')
    const { text } = await type('ls', {}, one)
    expect(text).toMatch(/^unknown +settlement\/unknown .*bank: connection reset/m)
  },

  // Lambda alone cuts a chain; what it leaves is what SQS has moved.
  OrdersRecursionAlarm: async ({ lane, type, also }) => {
    const one = await lane()
    await send(one.cloud, 'moving', { n: 1 })
    for (let times = 0; times < 3; times++) {
      for (const record of await one.taken('moving')) await hide(one.cloud, 'moving', record)
    }
    const { code, text } = await type('dlq groups', { QUEUE: 'dead' }, one)
    expect([code, text]).toEqual([0, expect.stringMatching(/^[0-9a-f]{8} +1 .* moved /m)])
    await also('dlq redrive dead --reason moved', one)
    expect(one.waitingIn('moving')).toBe(1)
  },

  // A notification that SNS itself cannot deliver: here it is put where SNS would keep it.
  'OrdersUndeliveredAlarm, …FailedAlarm': async (hand) => {
    await doctor(hand)
    const one = await hand.lane()
    const { handler, state } = order(one)
    state.broken = false
    await send(one.cloud, 'undelivered', { n: 1 })
    const fill = { UNDELIVERED: 'undelivered', QUEUE: 'book' }
    expect(await hand.type('dlq redrive', fill, one)).toMatchObject({ code: 0 })
    await one.deliver('book', handler)
    expect([await one.seats(), one.waitingIn('undelivered')]).toEqual([1, 0])
  },

  // A notification that SNS has lost leaves nothing behind: it is published again, and possibly twice.
  '…LostAlarm': async (hand) => {
    await doctor(hand)
    const one = await hand.lane()
    const { handler, state } = order(one)
    state.broken = false
    for (let times = 0; times < 2; times++) await send(one.cloud, 'book', { n: 1 })
    await one.deliver('book', handler)
    expect(await one.seats()).toBe(1)
  },

  '…TableReadThrottlesAlarm, …TableWriteThrottlesAlarm, …TableIndexThrottlesAlarm': async ({
    lane,
    type,
  }) => {
    const shown = await type('status')
    expect(shown.text).toMatch(/throttled {2}\d of scans {2}.*\(Table shelves\./)
    const one = await lane()
    const attempts: number[] = []
    const handler = one.consumer((_order, ctx) => void attempts.push(ctx.attempt))
    await send(one.cloud, 'book', { n: 1 })
    const record = await one.throttled('book', handler)
    await one.copy('book', record)
    await one.deliver('book', handler)
    expect(attempts).toEqual([1])
  },
}
