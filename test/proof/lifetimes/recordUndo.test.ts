import { compensate, recordHandler, TerminalError } from 'lineclear'
import { expect, it } from 'vitest'
import { z } from 'zod'
import { applyPlan } from '../../../src/tools/operator/plan/applyPlan.ts'
import { NO_READER } from '../../tools/operator/noReader.ts'
import { planDecision } from '../../../src/tools/operator/plan/planDecision.ts'
import { awsMessenger } from '../../../src/send/awsMessenger.ts'
import { counted, type DaysCloud, daysCloud, TABLES } from './days.ts'

const Order = z.object({ id: z.string() })

/** Reserves and fails for good; its undo fails at first. */
function orders({ options }: DaysCloud) {
  const fails = { is: true }
  const undo = compensate(Order, {
    reserve: async (_order, ctx) => {
      await ctx.write('release', counted('seats', -1))
      if (fails.is) throw new Error('not yet')
    },
  })
  const retry = { delay: () => 3_600_000, maxAttempts: 9 }
  const handler = recordHandler(
    { ...options, name: 'orders', schema: Order, id: ({ id }) => id, retry, undo },
    async (_order, ctx) => {
      await ctx.write('reserve', counted('seats'))
      throw new TerminalError('no')
    },
  )
  return { handler, fails }
}

it.each(TABLES)(
  'an undo that an operator asks for on the last day ends after it, when what has expired is %s',
  async (_table, deletes) => {
    const days = daysCloud(deletes)
    const { handler, fails } = orders(days)
    const { store, clock, clients } = days.options
    days.cloud.send('work', { id: 'r1' })
    await days.cloud.deliver('work', handler)
    const messenger = awsMessenger({ sqs: clients.sqs, sns: undefined, inMemory: undefined })
    const ask = async (): Promise<string> => {
      const now = clock.now()
      const plan = await planDecision(
        'lock#orders/r1',
        'undo',
        {},
        { reader: NO_READER, store, now },
      )
      if (plan.kind !== 'change') return plan.because
      const operator = { by: 'ann', why: '', force: false, now, messenger }
      return (await applyPlan(store, plan, operator)).kind
    }
    days.day(29.99)
    expect(await ask()).toBe('applied')
    await days.cloud.deliver('work', handler)
    fails.is = false
    days.day(30.5)
    await days.cloud.deliver('work', handler)
    expect([days.count('seats'), days.reasons()]).toEqual([0, ['terminal']])
    expect(await ask()).toContain('its effects are undone')
  },
)
