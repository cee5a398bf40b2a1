import { invocationHandler, recordHandler } from 'lineclear'
import { lambdaContext } from '../../deliver/lambdaContext.ts'
import { z } from 'zod'
import { describe, expect, it } from 'vitest'
import { counted, daysCloud, TABLES } from './days.ts'

const Order = z.object({ id: z.string(), sku: z.string() })

describe.each(TABLES)('an id, when what has expired is %s', (_table, deletes) => {
  it('that has ended runs again once it is forgotten, and not before', async () => {
    const days = daysCloud(deletes)
    const handler = recordHandler(
      { ...days.options, name: 'orders', schema: Order, id: ({ id }) => id, retention: '3d' },
      async ({ sku }, ctx) => {
        await ctx.write('reserve', counted(sku))
      },
    )
    const place = async (): Promise<unknown> => {
      days.cloud.send('work', { id: 'r1', sku: 'pear' })
      await days.cloud.deliver('work', handler)
      return days.count('pear')
    }
    expect(await place()).toBe(1)
    days.day(2.9)
    expect(await place()).toBe(1)
    days.day(3.1)
    expect(await place()).toBe(2)
  })

  it('whose function was killed takes another payload once it is forgotten', async () => {
    const days = daysCloud(deletes)
    const paid: unknown[] = []
    const handler = invocationHandler(
      {
        ...days.options,
        name: 'pay',
        key: ({ id }: { id: string; amount: number }) => id,
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
