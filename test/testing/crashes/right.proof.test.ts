import { defineFlow, idempotent, newerThan, onceForever, RetryableError } from 'lineclear'
import {
  type CrashCloud,
  type CrashOptions,
  type Explored,
  exploreCrashes,
} from 'lineclear/testing'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { isWhole } from '../../proof/depth.ts'
import { consumerOf, Key, ORDER, type Order, SOUND, type Work } from './consumerOf.ts'

const row = { TableName: 't', Key } as const
const SECOND: Order = { orderId: 'o2', state: 2 }

interface Right {
  readonly title: string
  readonly build: (cloud: CrashCloud) => Explored
  readonly record?: unknown
  readonly options?: CrashOptions
}

function records(title: string, work: Work, options: CrashOptions = {}): Right {
  return { title, build: consumerOf(work), options: { together: 1, ...options } }
}

const CONSUMERS: readonly Right[] = [
  records('makes its effects side by side', async (_, ctx, { outside, queueUrl }) => {
    await Promise.all([
      ctx.write('sum', { ...row, add: { n: 1 } }),
      ctx.call('charge', (key) => outside('charge', key)),
      ctx.send(queueUrl('paid'), { paid: true }),
    ])
  }),
  records('sends several messages, by name and by number', async (_, ctx, { queueUrl }) => {
    await ctx.send(queueUrl('mail'), { to: 'a' })
    await ctx.send(queueUrl('mail'), { to: 'b' })
    await ctx.send(queueUrl('mail'), { to: 'c' }, { name: 'c' })
  }),
  records('sends what it has asked a system outside', async (_, ctx, { outside, queueUrl }) => {
    const receipt = await ctx.call('charge', (key) => outside('charge', key))
    await ctx.send(queueUrl('paid'), { receipt })
  }),
  records('sends what it was sent back to its own queue, once', async (order, ctx, cloud) => {
    await ctx.write('sum', { ...row, add: { n: 1 } })
    if (order.state === undefined) await ctx.send(cloud.queueUrl('records'), { ...order, state: 1 })
  }),
  records('asks what became of a call in doubt', async (_, ctx, { outside }) => {
    await ctx.call('charge', (key) => outside('charge', key), {
      ifUnknown: async (key) => ({ outcome: 'done', result: await outside('charge', key) }),
    })
  }),
  records(
    'guards its writes by the time of the sending',
    ({ state = 0 }, ctx) =>
      ctx.write('state', { ...row, set: { state }, guard: newerThan('at', ctx.sentAt) }),
    { also: [SECOND], ignore: ['at'] },
  ),
  records('writes what is not there, and sends in any case', async (_, ctx, { queueUrl }) => {
    const before = await ctx.get(row)
    if (before === undefined)
      await ctx.write('row', {
        ...row,
        put: { by: ctx.uniqueRequestId },
        guard: newerThan('at', 1),
      })
    await ctx.send(queueUrl('taken'), { id: ctx.uniqueRequestId })
  }),
  records('waits for what it wants, and sends then', async (_, ctx, { queueUrl }) => {
    await new Promise((resolve) => {
      setTimeout(resolve, 1_234.567)
    })
    if (ctx.attempt === 1) throw new RetryableError('not yet', { retryAfter: '2.5s' })
    await ctx.send(queueUrl('paid'), { paid: true })
  }),
  {
    title: 'hands on in order',
    build: (cloud) => ({
      'orders.fifo': consumerOf((order, ctx, { queueUrl }) =>
        ctx.send(queueUrl('out.fifo'), order, { groupId: 'g' }),
      )(cloud),
    }),
    options: { also: [SECOND], batch: 2, together: 1 },
  },
]

const Trip = z.object({ tripId: z.string() })
const Offer = z.object({ offerId: z.string(), price: z.number() })

function basics({ store, clients, clock, logger }: CrashCloud) {
  const key = ({ tripId }: z.infer<typeof Trip>): string => tripId
  return { name: 'trip', store, clients, clock, logger, key }
}

const stage = ({ queueUrl }: CrashCloud, name: string) =>
  ({ schema: Trip, queueUrl: queueUrl(name) }) as const

/** Two stages at once: each waits for the one that sent it. */
function fanOut(cloud: CrashCloud): Explored {
  const stages = {
    book: stage(cloud, 'book'),
    seat: stage(cloud, 'seat'),
    meal: stage(cloud, 'meal'),
  }
  const trip = defineFlow({ ...basics(cloud), stages })
  return {
    book: trip.stageHandler('book', async ({ tripId }, ctx) => {
      await ctx.next('seat', { tripId })
      await ctx.next('meal', { tripId })
    }),
    seat: trip.stageHandler('seat', (_, ctx) => ctx.write('n', { ...row, add: { seats: 1 } })),
    meal: trip.stageHandler('meal', (_, ctx) => ctx.send(cloud.queueUrl('kitchen'), { meal: 1 })),
  }
}

/** One stage after the other, with a message at the end. */
function chain(cloud: CrashCloud): Explored {
  const last = { ...stage(cloud, 'ship'), final: true } as const
  const trip = defineFlow({ ...basics(cloud), stages: { pay: stage(cloud, 'pay'), ship: last } })
  return {
    pay: trip.stageHandler('pay', async ({ tripId }, ctx) => {
      const receipt = await ctx.call('charge', (key) => cloud.outside('charge', key))
      await ctx.send(cloud.queueUrl('receipts'), { receipt })
      await ctx.next('ship', { tripId })
    }),
    ship: trip.stageHandler('ship', (_, ctx) => ctx.write('n', { ...row, add: { parcels: 1 } })),
  }
}

function offers({ queueUrl }: CrashCloud) {
  const id = ({ offerId }: z.infer<typeof Offer>): string => offerId
  return { offer: { schema: Offer, id, queueUrl: queueUrl('offer') } }
}

/** Continues when both airlines have answered. */
function join(cloud: CrashCloud): Explored {
  const { queueUrl } = cloud
  const trip = defineFlow({
    ...basics(cloud),
    stages: { ask: stage(cloud, 'ask') },
    awaitingSteps: offers(cloud),
  })
  return {
    ask: trip.stageHandler('ask', (_, ctx) =>
      ctx.awaitStep('offer', ['a', 'b'], async () => {
        for (const offerId of ['a', 'b']) await ctx.send(queueUrl('airline'), { offerId })
      }),
    ),
    offer: trip.answerHandler('offer', async (_, ctx) => {
      const price = [...ctx.answers.values()].reduce((sum, offer) => sum + offer.price, 0)
      await ctx.send(queueUrl('best'), { price })
    }),
  }
}

const answers = {
  airline: ({ offerId }: { readonly offerId: string }) => ({ offer: { offerId, price: 5 } }),
}

const FLOWS: readonly Right[] = [
  {
    title: 'of two stages at once',
    build: fanOut,
    options: { only: ['answer lost', 'repeated', 'conflict', 'clock jumps'] },
  },
  {
    title: 'of two stages one after the other',
    build: chain,
    options: {
      only: ['request lost', 'answer lost', 'throttled', 'conflict', 'time is up'],
      // All of them are explored each night.
      limit: isWhole ? 100_000 : 1_000,
    },
  },
  {
    title: 'that joins answers, after two of each',
    build: join,
    options: { answers, only: ['answered twice', 'stale', 'a second behind'] },
  },
]

const FUNCTIONS: readonly Right[] = [
  {
    title: 'that calls with its key',
    build: ({ store, clock, logger, outside }) =>
      idempotent(
        { store, clock, logger, name: 'pay', waitForOther: 0, key: (o: Order) => o.orderId },
        (order: Order) => outside('charge', { idempotencyKey: order.orderId }, order),
      ),
  },
  {
    title: 'that queues an event once for ever',
    build:
      ({ store, clients, clock, logger, queueUrl }) =>
      (order: Order) =>
        onceForever({ store, name: 'events', clients, clock, logger }).thenEnqueue(
          order.orderId,
          order,
          {
            queueUrl: queueUrl('events'),
          },
        ),
  },
  {
    title: 'that answers a step, with what it was sent',
    build: (cloud) => async (order: Order) => {
      const trip = defineFlow({
        ...basics(cloud),
        stages: { ask: stage(cloud, 'ask') },
        awaitingSteps: offers(cloud),
      })
      await trip.answer('offer', { offerId: order.orderId, price: 5 })
    },
  },
  {
    title: 'that starts a flow under its own id',
    build: (cloud) => async (order: Order) => {
      const stages = { book: stage(cloud, 'book') }
      const trip = defineFlow({ ...basics(cloud), stages })
      await trip.start({ tripId: order.orderId }, { uniqueRequestId: order.orderId, sentAt: 1 })
    },
  },
]

const PASSED = { ...SOUND, complete: true, text: expect.stringMatching('nothing lost') as string }

describe('with nothing found, completely or up to its limit, passes', () => {
  it.each(CONSUMERS)('a handler that $title', async ({ build, options }) => {
    expect(await exploreCrashes(build, ORDER, options)).toMatchObject(PASSED)
  })

  it.each(FLOWS)('a flow $title', async ({ build, options }) => {
    const alone = { together: 1, ...options }
    const complete = isWhole || options?.limit === undefined
    const report = await exploreCrashes(build, { tripId: 't' }, alone)
    expect(report).toMatchObject({ ...PASSED, complete })
  })

  it.each(FUNCTIONS)('a function $title', async ({ build, options }) => {
    const called = { as: 'function', ...options } as const
    expect(await exploreCrashes(build, ORDER, called)).toMatchObject(PASSED)
  })
})

it('a flow of two stages that wait for one killed sender comes to rest', async () => {
  const options = { only: ['killed on the wire'], together: 1, limit: 250 } as const
  const report = await exploreCrashes(fanOut, { tripId: 't' }, options)
  expect(report).toMatchObject({ ...SOUND, schedules: 250 })
})

describe('is found: a function', () => {
  it('that starts a flow without an id: doubled', async () => {
    const wrong = (cloud: CrashCloud) => async (order: Order) => {
      const trip = defineFlow({ ...basics(cloud), stages: { book: stage(cloud, 'book') } })
      await trip.start({ tripId: order.orderId })
    }
    const report = await exploreCrashes(wrong, ORDER, { as: 'function', together: 1 })
    expect(report.finding?.what).toBe('message to book: 2 times, 1 without faults')
  })

  it('that queues an event under a key of its own each time: doubled', async () => {
    const wrong =
      ({ store, clients, clock, logger, queueUrl }: CrashCloud) =>
      (order: Order) =>
        onceForever({ store, name: 'events', clients, clock, logger }).thenEnqueue(
          crypto.randomUUID(),
          order,
          {
            queueUrl: queueUrl('events'),
          },
        )
    const report = await exploreCrashes(wrong, ORDER, { as: 'function', together: 1 })
    expect(report.finding?.what).toBe('message to events: 2 times, 1 without faults')
  })
})
