import { defineFlow } from 'lineclear'
import { describe, expect, it } from 'vitest'
import { Asked, asking } from './asking.ts'
import { daysCloud, TABLES } from './days.ts'

describe.each(TABLES)('a join, when what has expired is %s', (_table, deletes) => {
  it.each([
    ['answered on days 1 and 19, redriven on day 32', { giveUpAfter: '20d' }, [1, 19], [32]],
    ['over a weekend, remembered for 3 days', { retention: '3d' }, [0.2, 0.9], [3.7]],
    ['redriven three times', { giveUpAfter: '20d' }, [1, 19], [30, 40, 48.9]],
  ] as const)('has every answer: %s', async (_when, times, [first, last], redrives) => {
    const days = daysCloud(deletes)
    const { flow, ask, answer, redriven, broken, got } = asking(days, times)
    await flow.start({ key: 'k' })
    await days.cloud.deliver('work', ask)
    days.day(first)
    await answer('a', 1)
    days.day(last)
    await answer('b', 2)
    for (const [nth, day] of redrives.entries()) {
      days.day(day)
      broken.is = nth < redrives.length - 1
      await redriven()
    }
    expect(days.reasons()).toEqual([])
    expect(got).toEqual([{ a: 1, b: 2 }])
  })

  it('does not go on without an answer that it was given', async () => {
    const days = daysCloud(deletes)
    const { flow, ask, answer, redriven, broken, got } = asking(days)
    broken.is = false
    await flow.start({ key: 'k' })
    await days.cloud.deliver('work', ask)
    await answer('a', 1)
    const { read } = days.store
    Object.assign(days.store, {
      read: async (keys: Parameters<typeof read>[0]) =>
        (await read(keys)).map((one, nth) =>
          keys[nth]?.sk.match(/^await#offers#.+#.+#/) ? { kind: 'found', item: undefined } : one,
        ),
    })
    await answer('b', 2)
    expect([got, days.reasons()]).toEqual([[], ['lost answer']])
    Object.assign(days.store, { read })
    await redriven()
    expect([got, days.reasons()]).toEqual([[{ a: 1, b: 2 }], []])
  })
})

it('refuses a flow that gives up later than it remembers', () => {
  const { options, url } = daysCloud(false)
  const define = (times: object) =>
    defineFlow({
      ...options,
      ...times,
      name: 'ask',
      key: ({ key }) => key,
      stages: { ask: { schema: Asked, queueUrl: url('work') } },
    })
  expect(() => define({ giveUpAfter: '31d' })).toThrow(/giveUpAfter: expected at most retention/)
  expect(() => define({ giveUpAfter: '3d', retention: '2d' })).toThrow(/giveUpAfter/)
  expect(() => define({ giveUpAfter: '30d' })).not.toThrow()
})
