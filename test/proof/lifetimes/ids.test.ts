import { compensate, invocationHandler, recordHandler, TerminalError } from 'lineclear'
import { lambdaContext } from '../../deliver/lambdaContext.ts'
import { z } from 'zod'
import { describe, expect, it } from 'vitest'
import { counted, type DaysCloud, daysCloud, TABLES } from './days.ts'

const Order = z.object({ id: z.string(), sku: z.string() })

/** Its records have ids of their own. A record that dies is undone at once. */
function ordering(days: DaysCloud) {
  const fails = { is: true }
  const undo = compensate(Order, {
    reserve: (_order, ctx) => ctx.write('release', counted('pear', -1)),
  })
  const handler = recordHandler(
    {
      ...days.options,
      name: 'orders',
      schema: Order,
      id: ({ id }) => id,
      retention: '3d',
      undo,
      undoDead: true,
    },
    async ({ sku }, ctx) => {
      await ctx.write('reserve', counted(sku))
      if (fails.is) throw new TerminalError('refused')
    },
  )
  const run = async (): Promise<void> => {
    days.cloud.clock.advance(60_000)
    await days.cloud.deliver('work', handler)
  }
  return { fails, run, place: () => days.cloud.send('work', { id: 'r1', sku: 'pear' }) }
}

describe.each(TABLES)('an id, when what has expired is %s', (_table, deletes) => {
  it('that was undone runs again once it is forgotten, and not before', async () => {
    const days = daysCloud(deletes)
    const { fails, run, place } = ordering(days)
    place()
    await run()
    await run()
    expect([days.count('pear'), days.reasons()]).toEqual([0, ['terminal']])
    fails.is = false
    days.day(2.9)
    place()
    await run()
    expect(days.count('pear')).toBe(0)
    days.day(3.1)
    place()
    await run()
    expect(days.count('pear')).toBe(1)
  })

  it('that was undone can die and be undone again in its next life', async () => {
    const days = daysCloud(deletes)
    const { run, place } = ordering(days)
    for (const day of [0, 4, 8]) {
      days.day(day)
      place()
      await run()
      await run()
    }
    expect([days.count('pear'), days.reasons()]).toEqual([0, Array(3).fill('terminal')])
  })

  it('whose function was killed takes another payload once it is forgotten', async () => {
    const days = daysCloud(deletes)
    const paid: unknown[] = []
    const handler = invocationHandler(
      {
        ...days.options,
        name: 'pay',
        id: ({ id }: { id: string; amount: number }) => id,
        retention: '3d',
      },
      async ({ amount }) => {
        if (amount === 1) throw new Error('not now')
        paid.push(amount)
      },
    )
    await expect(handler({ id: 'p1', amount: 1 }, lambdaContext())).rejects.toThrow('not now')
    days.day(4)
    await handler({ id: 'p1', amount: 2 }, lambdaContext())
    expect(paid).toEqual([2])
  })
})
