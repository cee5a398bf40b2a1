import { invocationHandler, type InvocationContext, type Store } from 'lineclear'
import type { CrashCloud, CrashOptions, Explored } from 'lineclear/testing'

/** What the invocation is about. Its key is Lambda's request id, or `night`. */
export interface Night {
  readonly night: string
}

export const NIGHT: Night = { night: '2026-11-21' }

type Work = (night: Night, ctx: InvocationContext, cloud: CrashCloud) => unknown

export interface InvocationScenario {
  readonly title: string
  readonly options?: CrashOptions
  readonly byNight?: true
  readonly work: Work
}

const settle = { TableName: 'settlements', Key: { id: 'all' }, add: { nights: 1 } } as const

export type ScenarioName = 'books' | 'asks' | 'inDoubt' | 'overwrites' | 'fails' | 'twice'

export const scenarios: Readonly<Record<ScenarioName, InvocationScenario>> = {
  books: {
    title: 'books once and sends once',
    work: async ({ night }, ctx, { queueUrl }) => {
      await ctx.write('settle', settle)
      await ctx.send(queueUrl('settled'), { night })
      return night
    },
  },
  asks: {
    title: 'sends what an outside system has answered',
    work: async (_night, ctx, { outside, queueUrl }) => {
      const receipt = await ctx.call('pay', (key) => outside('pay', key))
      await ctx.send(queueUrl('paid'), { receipt })
    },
  },
  inDoubt: {
    title: "makes a call that must not be repeated (ifUnknown 'stop', keys not honoured)",
    options: { keys: 'ignored' },
    work: async (_night, ctx, { outside }) => {
      await ctx.call('pay', (key) => outside('pay', key), { ifUnknown: 'stop' })
      await ctx.write('settle', settle)
    },
  },
  overwrites: {
    title: 'replaces a row',
    work: async ({ night }, ctx) => {
      await ctx.write('row', {
        TableName: 'settlements',
        Key: { id: night },
        put: { state: 'settled' },
      })
      await ctx.write('settle', settle)
    },
  },
  fails: {
    title: 'fails in its first attempt, after its effects',
    work: async (_night, ctx, { outside, queueUrl }) => {
      await ctx.write('settle', settle)
      const receipt = await ctx.call('pay', (key) => outside('pay', key))
      await ctx.send(queueUrl('paid'), { receipt })
      if (ctx.attempt === 1) throw new Error('not yet')
    },
  },
  twice: {
    title: 'two requests about one night',
    byNight: true,
    options: { also: [NIGHT] },
    work: async ({ night }, ctx, { queueUrl }) => {
      await ctx.write('settle', settle)
      await ctx.send(queueUrl('settled'), { night })
    },
  },
}

/** The handler of a scenario, with the store as `wrap` leaves it. */
export function handlerOf(
  { work, byNight }: InvocationScenario,
  wrap: (store: Store) => Store = (store) => store,
): (cloud: CrashCloud) => Explored {
  return (cloud) => {
    const { store, clients, clock, logger } = cloud
    const options = {
      name: 'settlement',
      store: wrap(store),
      clients,
      clock,
      logger,
      waitForOther: 0,
    }
    const id = ({ night }: Night): string => night
    return invocationHandler(
      { ...options, ...(byNight && { key: id }) },
      async (event: Night, ctx) => work(event, ctx, cloud),
    )
  }
}
