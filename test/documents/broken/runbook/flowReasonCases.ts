import { type AttributeValue, DeleteItemCommand, ScanCommand } from '@aws-sdk/client-dynamodb'
import { defineFlow, TerminalError } from 'lineclear'
import { expect } from 'vitest'
import { send } from '../../../flow/flowHarness.ts'
import { Booking } from '../../../flow/trip.ts'
import type { Cases } from './hand.ts'
import type { Lane } from './lane.ts'
import { peeked } from './peeked.ts'
import { HOUR } from './plants.ts'

const ONCE = { maxAttempts: 1, delay: () => 0 }

/** Two stages; the second one adds a seat. */
function twoStages(one: Lane, more: Parameters<Lane['flow']>[0] = {}) {
  const trip = one.flow({ retry: ONCE, ...more })
  const book = trip.stageHandler('book', (_booking, ctx) => ctx.next('ship', { key: ctx.key }))
  const ship = trip.stageHandler('ship', (_shipping, ctx) => ctx.write('seat', one.seat))
  return { trip, book, ship }
}

/** A run that asks outside, and waits for the answer. */
function asking(
  one: Lane,
  timeout: '10m' | '1s' = '10m',
  ids: readonly [string, ...string[]] = ['q1'],
) {
  const trip = one.flow({ retry: ONCE })
  const book = trip.stageHandler('book', (_booking, ctx) =>
    ctx.awaitStep('quote', ids, () => {}, { timeout }),
  )
  const quote = trip.answerHandler('quote', (_quote, ctx) => ctx.write('seat', one.seat), {
    onTimeout: () => {},
  })
  return { trip, book, quote }
}

/** A flow whose second stage has that name, on the same queue. It adds a seat. */
function renaming(one: Lane, name: 'pay' | 'bill', formerNames: readonly string[] = []) {
  const flow = defineFlow({
    name: 'trip',
    key: ({ key }: { readonly key: string }) => key,
    stages: {
      book: { schema: Booking, queueUrl: one.cloud.queueUrl('book') },
      [name]: { schema: Booking, queueUrl: one.cloud.queueUrl('pay'), formerNames },
    },
    ...one.options,
    retry: { delay: () => 0 },
  })
  const code = { broken: false }
  const book = flow.stageHandler('book', (_booking, ctx) => ctx.next(name, { key: ctx.key }))
  const pay = flow.stageHandler(name, async (_payment, ctx) => {
    await ctx.write('seat', one.seat)
    if (code.broken) throw new Error('not now')
  })
  return { flow, code, book, pay }
}

/** As somebody does it by hand, in the console of DynamoDB. @param sort of the keys of the items */
async function deleteItems({ cloud, tableName: TableName }: Lane, sort: RegExp): Promise<void> {
  const { Items = [] } = await cloud.dynamodb.send(new ScanCommand({ TableName }))
  const found = Items.filter(({ sk }) => sort.test(sk?.S ?? ''))
  expect(found).not.toEqual([])
  for (const { pk, sk } of found) {
    const Key = { pk: pk as AttributeValue, sk: sk as AttributeValue }
    await cloud.dynamodb.send(new DeleteItemCommand({ TableName, Key }))
  }
}

/** Reasons that only messages of a flow have. */
export const FLOW_REASONS: Cases = {
  abandoned: async (hand) => {
    const one = await hand.lane()
    const { trip, book, ship } = twoStages(one, { giveUpAfter: '1h' })
    await trip.start({ key: 'k' }, { uniqueRequestId: 'r1' })
    await one.deliver('book', book)
    one.clock.advance(2 * HOUR)
    await one.typed('sweep', '--search', '--apply')
    await one.typed('sweep', '--apply')
    await one.deliver('ship', ship)
    await peeked(hand, one, 'abandoned')
    expect(await one.seats()).toBe(0)
    await hand.also('dlq redrive dead', one)
    await one.deliver('ship', ship)
    expect([await one.seats(), one.waitingIn('dead')]).toEqual([1, 0])
  },

  busy: async (hand) => {
    const one = await hand.lane()
    const ran: unknown[] = []
    const code = { broken: true }
    const queueUrl = (name: string) => one.cloud.queueUrl(name)
    const flow = defineFlow({
      name: 'trip',
      process: 'every',
      key: ({ key }) => key,
      stages: {
        one: { schema: Booking, queueUrl: queueUrl('one.fifo') },
        two: { schema: Booking, queueUrl: queueUrl('two.fifo'), final: true },
      },
      ...one.options,
      retry: { delay: () => 0 },
    })
    const first = flow.stageHandler('one', (payload, ctx) => ctx.next('two', payload))
    const second = flow.stageHandler('two', ({ n }) => {
      if (code.broken) throw new TerminalError('broken')
      ran.push(n)
    })
    await flow.start({ key: 'k', n: 1 })
    await one.deliver('one.fifo', first)
    await one.deliver('two.fifo', second)
    code.broken = false
    // Redriven too early: the next request has the key.
    await flow.start({ key: 'k', n: 2 })
    const between = flow.stageHandler('one', async (payload, ctx) => {
      await hand.also('dlq redrive dead.fifo --to two.fifo --no-ramp', one)
      await ctx.next('two', payload)
    })
    await one.deliver('one.fifo', between)
    await one.deliver('two.fifo', second)
    await peeked(hand, one, 'busy', 'dead.fifo')
    await hand.also('dlq redrive dead.fifo --to two.fifo', one)
    for (let times = 0; times < 3; times++) await one.deliver('two.fifo', second)
    expect([ran, one.waitingIn('dead.fifo')]).toEqual([[2, 1], 0])
  },

  'process changed': async (hand) => {
    const one = await hand.lane()
    const before = twoStages(one)
    const deployed = twoStages(one, { process: 'every' })
    await before.trip.start({ key: 'k' }, { uniqueRequestId: 'r1' })
    await one.deliver('book', before.book)
    await one.deliver('ship', deployed.ship)
    await peeked(hand, one, 'process changed')
    await hand.also('dlq redrive dead --to ship', one)
    await one.deliver('ship', before.ship)
    expect([await one.seats(), one.waitingIn('dead')]).toEqual([1, 0])
  },

  'lost record': async (hand) => {
    const before = await hand.lane()
    const lost = twoStages(before)
    await lost.trip.start({ key: 'k' }, { uniqueRequestId: 'r1' })
    await before.deliver('book', lost.book)
    // The table that is restored from a backup knows nothing of the run.
    const one = await hand.restored()
    const { trip, book, ship } = twoStages(one)
    await one.deliver('ship', ship)
    await peeked(hand, one, 'lost record')
    expect(await one.seats()).toBe(0)
    one.clock.advance(1_000)
    await trip.start({ key: 'k' }, { uniqueRequestId: 'r2' })
    await one.deliver('book', book)
    await one.deliver('ship', ship)
    expect(await one.seats()).toBe(1)
  },

  'unknown step': async (hand) => {
    const one = await hand.lane()
    const { trip, book, quote } = asking(one)
    await trip.start({ key: 'k' }, { uniqueRequestId: 'r1' })
    await one.deliver('book', book)
    await send(one.cloud, 'quotes', { quoteId: 'q9', price: 1 })
    await one.deliver('quotes', quote)
    one.clock.advance(6 * HOUR)
    await one.deliver('quotes', quote)
    await peeked(hand, one, 'unknown step')
    expect(await one.seats()).toBe(0)
  },

  'lost answer': async (hand) => {
    const one = await hand.lane()
    const { trip, book, quote } = asking(one, '10m', ['q1', 'q2'])
    await trip.start({ key: 'k' }, { uniqueRequestId: 'r1' })
    await one.deliver('book', book)
    await send(one.cloud, 'quotes', { quoteId: 'q1', price: 1 })
    await one.deliver('quotes', quote)
    await deleteItems(one, /^await#.+#.+#.+#/)
    await send(one.cloud, 'quotes', { quoteId: 'q2', price: 2 })
    await one.deliver('quotes', quote)
    await peeked(hand, one, 'lost answer')
    expect(await one.seats()).toBe(0)
  },

  'lost step': async (hand) => {
    const one = await hand.lane()
    const { trip, book, quote } = asking(one, '1s')
    await trip.start({ key: 'k' }, { uniqueRequestId: 'r1' })
    await one.deliver('book', book)
    await deleteItems(one, /^await#/)
    const timeouts = async () => (await one.deliver('quotes', quote)).came
    await expect.poll(timeouts, { timeout: 10_000 }).toBe(1)
    await peeked(hand, one, 'lost step')
    expect(await one.seats()).toBe(0)
    one.clock.advance(1_000)
    const again = asking(one)
    await again.trip.start({ key: 'k' }, { uniqueRequestId: 'r2' })
    await one.deliver('book', again.book)
    await send(one.cloud, 'quotes', { quoteId: 'q1', price: 1 })
    await one.deliver('quotes', again.quote)
    expect(await one.seats()).toBe(1)
  },

  'unknown stage': async (hand) => {
    const one = await hand.lane()
    const old = renaming(one, 'pay')
    await old.flow.start({ key: 'k' }, { uniqueRequestId: 'r1' })
    await one.deliver('book', old.book)
    old.code.broken = true
    await one.deliver('pay', old.pay)
    await one.deliver('pay', renaming(one, 'bill').pay)
    expect(await peeked(hand, one, 'unknown stage')).toContain("formerNames: ['pay']")
    await hand.also('dlq redrive dead', one)
    await one.deliver('pay', renaming(one, 'bill', ['pay']).pay)
    expect([await one.seats(), one.waitingIn('dead')]).toEqual([1, 0])
  },

  'not handed on': async (hand) => {
    const one = await hand.lane()
    const { trip, book, ship } = twoStages(one)
    const ran: unknown[] = []
    const pay = trip.stageHandler('pay', (payment) => void ran.push(payment))
    await trip.start({ key: 'k' }, { uniqueRequestId: 'r1' })
    await one.deliver('book', book)
    // Moved to the queue of another stage by hand.
    await one.copy('pay', await one.take('ship'))
    await one.deliver('pay', pay)
    expect(await peeked(hand, one, 'not handed on')).toContain('its run continues without it')
    await hand.also('dlq redrive dead --to ship', one)
    await one.deliver('ship', ship)
    expect([await one.seats(), ran, one.waitingIn('dead')]).toEqual([1, [], 0])
  },

  'fan-out': async (hand) => {
    const one = await hand.lane()
    const { trip, book, quote } = asking(one)
    for (let nth = 0; nth < 21; nth++) await trip.start({ key: `k${nth}` })
    await one.deliver('book', book)
    await send(one.cloud, 'quotes', { quoteId: 'q1', price: 5, note: 'x'.repeat(800_000) })
    await one.deliver('quotes', quote)
    expect(await peeked(hand, one, 'fan-out')).toContain('21 runs')
    expect([await one.seats(), one.waitingIn('quotes')]).toEqual([0, 0])
  },
}
