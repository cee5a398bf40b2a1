import { compensate, defineFlow, TerminalError } from 'lineclear'
import { z } from 'zod'
import { describe, expect, it } from 'vitest'
import { counted, type DaysCloud, daysCloud, TABLES } from './days.ts'

const Order = z.object({ key: z.string(), sku: z.string() })
const Paid = z.object({ key: z.string() })

/** Reserves what is ordered, charges for it, and waits for the payment, which may come weeks later. */
function ordering(days: DaysCloud) {
  const fails: { paid: Error | undefined; undo: Error | undefined } = {
    paid: new TerminalError('down'),
    undo: undefined,
  }
  const refunds: unknown[] = []
  const undo = compensate(Order, {
    reserve: async ({ sku }, ctx) => {
      if (fails.undo !== undefined) throw fails.undo
      await ctx.write('release', counted(sku, -1))
    },
    charge: (_order, ctx, { answer }) => ctx.call('refund', () => refunds.push(answer)),
  })
  const flow = defineFlow({
    ...days.options,
    name: 'order',
    key: (payload) => payload.key,
    onConflict: 'supersede',
    giveUpAfter: '20d',
    retry: { delay: () => 0, maxAttempts: 2 },
    stages: {
      place: { schema: Order, queueUrl: days.url('work'), undo },
    },
    awaitingSteps: { paid: { schema: Paid, id: ({ key }) => key, queueUrl: days.url('answers') } },
  })
  const place = flow.stageHandler('place', async ({ key, sku }, ctx) => {
    await ctx.write('reserve', counted(sku))
    await ctx.call('charge', () => `receipt of ${sku}`)
    await ctx.awaitStep('paid', key, () => {})
  })
  const paid = flow.answerHandler('paid', () => {
    if (fails.paid !== undefined) throw fails.paid
  })
  const settle = async (): Promise<void> => {
    for (let round = 0; round < 3; round++) {
      days.cloud.clock.advance(16 * 60_000)
      await days.cloud.deliver('work', place)
      await days.sweep()
    }
  }
  const begin = (sku: string): Promise<unknown> => flow.start({ key: 'k', sku })
  return { begin, place, paid, settle, fails, refunds }
}

describe.each(TABLES)('effects, when what has expired is %s', (_table, deletes) => {
  /** It dies on day 19, is redriven on day 32, and has to try again. */
  async function goingOn() {
    const days = daysCloud(deletes)
    const orders = ordering(days)
    await orders.begin('pear')
    await days.cloud.deliver('work', orders.place)
    days.day(19)
    days.cloud.send('answers', { key: 'k' })
    await days.cloud.deliver('answers', orders.paid)
    expect(days.reasons()).toEqual(['terminal'])
    orders.fails.paid = new Error('not yet')
    days.day(32)
    await days.redrive('answers')
    await days.cloud.deliver('answers', orders.paid)
    return { days, ...orders }
  }

  it('of a run that died late, was redriven and is superseded, are undone', async () => {
    const { days, begin, settle, refunds } = await goingOn()
    days.day(33)
    await begin('plum')
    await settle()
    expect([days.count('pear'), days.count('plum')]).toEqual([0, 1])
    expect([refunds, days.reasons()]).toEqual([['receipt of pear'], []])
  })

  it('are undone when the undo itself is redriven after another fortnight', async () => {
    const { days, begin, settle, refunds, fails } = await goingOn()
    fails.undo = new TerminalError('down')
    days.day(50)
    await begin('plum')
    await settle()
    expect([days.count('pear'), days.reasons()]).toEqual([1, ['terminal']])
    fails.undo = undefined
    days.day(69)
    await days.redrive('work')
    await settle()
    expect([days.count('pear'), refunds, days.reasons()]).toEqual([0, ['receipt of pear'], []])
  })
})
