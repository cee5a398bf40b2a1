import { defineFlow, TerminalError } from 'lineclear'
import { z } from 'zod'
import { describe, expect, it } from 'vitest'
import { type DaysCloud, daysCloud, TABLES } from './days.ts'

const Cart = z.object({ key: z.string(), at: z.number() })

function carts(days: DaysCloud, process: 'newest' | 'every') {
  const ran: string[] = []
  const fails = { is: false }
  const flow = defineFlow({
    ...days.options,
    name: 'carts',
    process,
    retention: '3d',
    key: ({ key }) => key,
    retry: { delay: () => 0, maxAttempts: 1 },
    stages: { cart: { schema: Cart, queueUrl: days.url('work') } },
  })
  const cart = flow.stageHandler('cart', ({ at }, ctx) => {
    if (fails.is) throw new TerminalError('down')
    ran.push(`${ctx.uniqueRequestId} ${at}`)
  })
  const run = async (id: string, at = 0): Promise<void> => {
    await flow.start({ key: 'k', at }, { uniqueRequestId: id })
    await days.cloud.deliver('work', cart)
  }
  return { run, ran, fails, cart }
}

describe.each(TABLES)('a key, when what has expired is %s', (_table, deletes) => {
  it.each(['newest', 'every'] as const)(
    'remembers a request for its retention, and forgets it and its payload then (process %s)',
    async (process) => {
      const days = daysCloud(deletes)
      const { run, ran } = carts(days, process)
      await run('r1')
      days.day(2.9)
      await run('r1')
      days.day(3.1)
      await run('r1', 1)
      expect([ran, days.reasons()]).toEqual([['r1 0', 'r1 1'], []])
    },
  )

  it('may have another process once it has forgotten all', async () => {
    const days = daysCloud(deletes)
    const { run } = carts(days, 'newest')
    await run('r1')
    days.day(3.1)
    const every = carts(days, 'every')
    await every.run('r2')
    await every.run('r3')
    await every.run('r2')
    expect([every.ran, days.reasons()]).toEqual([['r2 0', 'r3 0'], []])
  })

  it('forgets requests that have left its record, too', async () => {
    const days = daysCloud(deletes)
    const { run, ran } = carts(days, 'every')
    const ids = Array.from({ length: 20 }, (_, nth) => `r${nth}`)
    for (const id of [...ids, ...ids]) await run(id)
    expect(ran).toHaveLength(20)
    days.day(3.1)
    for (const id of [...ids, ...ids]) await run(id)
    expect([ran.length, days.reasons()]).toEqual([40, []])
  })

  it('lets a dead request be redriven after its record is forgotten', async () => {
    const days = daysCloud(deletes)
    const { run, ran, fails, cart } = carts(days, 'every')
    fails.is = true
    await run('r1')
    days.day(2.9)
    fails.is = false
    await days.redrive('work')
    await days.cloud.deliver('work', cart)
    expect([ran, days.reasons()]).toEqual([['r1 0'], []])
  })
})
