import { type Delays, defineFlow, recordHandler, RetryableError } from 'lineclear'
import { memoryCloud, type MemoryCloud } from 'lineclear/testing'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import type { DelayedMessage, DelayedSender } from '../../../src/library/run/context/delays.ts'

const HOUR = 3_600_000

const open = (): MemoryCloud =>
  memoryCloud({
    queues: {
      orders: { deadLetter: { queue: 'dead', maxReceiveCount: 10 } },
      later: {},
      'later.fifo': {},
      ship: { deadLetter: { queue: 'dead', maxReceiveCount: 10 } },
      dead: {},
    },
  })

const givenOf = ({ store, clients, clock, logger }: MemoryCloud) => ({
  store,
  clients,
  clock,
  logger,
})

type Given = DelayedMessage & DelayedSender

/** Notes what it is given, and stores nothing. */
function noting(): Delays & { readonly given: Given[]; readonly kept: number[] } {
  const [given, kept]: [Given[], number[]] = [[], []]
  return {
    given,
    kept,
    fits: () => true,
    rowOf(sender, delayed) {
      given.push({ ...sender, ...delayed })
      return { pk: `later#${delayed.id}`, sk: 'later' }
    },
    resend(_store, sender, copy) {
      given.push({ ...sender, ...copy })
      return Promise.resolve(undefined)
    },
    async keep(_store, rows) {
      kept.push(rows.length)
      return undefined
    },
  }
}

describe('the option delays of recordHandler', () => {
  it.each([
    ['later', 900_001],
    ['later.fifo', 1],
  ])('is given what waits longer than the queue %s can delay it', async (queue, delay) => {
    const [cloud, delays] = [open(), noting()]
    const target = cloud.queueUrl(queue)
    const handler = recordHandler(
      { name: 'orders', ...givenOf(cloud), delays },
      async (_order, ctx) => {
        const grouped = queue.endsWith('.fifo') ? { groupId: 'g' } : {}
        await ctx.send(target, { a: 1 }, { delay, ...grouped })
      },
    )
    cloud.send('orders', {})
    await cloud.deliver('orders', handler)
    expect(delays.given).toMatchObject([{ queue: target, delay, consumer: 'orders' }])
    expect(delays.given[0]?.message).not.toHaveProperty('delaySeconds')
    expect(delays.kept).toEqual([1])
    expect(cloud.messages(queue)).toEqual([])
  })

  it('is not asked for what the queue itself delays', async () => {
    const [cloud, delays] = [open(), noting()]
    const handler = recordHandler({ name: 'orders', ...givenOf(cloud), delays }, (_order, ctx) =>
      ctx.send(cloud.queueUrl('later'), {}, { delay: 900_000 }),
    )
    cloud.send('orders', {})
    await cloud.deliver('orders', handler)
    expect(delays.given).toEqual([])
    expect(cloud.messages('later')).toHaveLength(1)
  })

  it('is given a retry in place of the queue, and the message is acknowledged', async () => {
    const [cloud, delays] = [open(), noting()]
    const handler = recordHandler({ name: 'orders', ...givenOf(cloud), delays }, () => {
      throw new RetryableError('closed', { retryAfter: HOUR })
    })
    cloud.send('orders', {})
    const due = cloud.clock.now() + HOUR
    await cloud.deliver('orders', handler)
    expect(delays.given).toMatchObject([{ due, consumer: 'orders' }])
    expect(cloud.messages('orders')).toEqual([])
  })

  it('that stores nothing leaves the message on the queue', async () => {
    const cloud = open()
    const delays: Delays = { ...noting(), resend: async () => new Error('no answer') }
    const handler = recordHandler({ name: 'orders', ...givenOf(cloud), delays }, () => {
      throw new RetryableError('closed', { retryAfter: HOUR })
    })
    cloud.send('orders', {})
    await cloud.deliver('orders', handler)
    expect(cloud.messages('orders')).toHaveLength(1)
  })

  it('that leaves a retry to the queue gets a delayed copy', async () => {
    const cloud = open()
    const delays: Delays = { ...noting(), resend: () => undefined }
    const handler = recordHandler({ name: 'orders', ...givenOf(cloud), delays }, () => {
      throw new RetryableError('closed', { retryAfter: HOUR })
    })
    cloud.send('orders', {})
    await cloud.deliver('orders', handler)
    expect(cloud.messages('orders')).toMatchObject([
      { carried: { resendNumber: 1 }, state: 'delayed' },
    ])
  })

  it('has to be storedDelays() or the like', () => {
    const { store } = open()
    // @ts-expect-error no such delays
    expect(() => recordHandler({ name: 'orders', store, delays: true }, () => {})).toThrow(
      'delays: expected storedDelays()',
    )
  })
})

it('without the option, a longer delay is refused with its name', async () => {
  const cloud = open()
  const errors: unknown[] = []
  const handler = recordHandler({ name: 'orders', ...givenOf(cloud) }, async (_order, ctx) => {
    await ctx
      .send(cloud.queueUrl('later'), {}, { delay: '24h' })
      .catch((error: unknown) => errors.push(error))
  })
  cloud.send('orders', {})
  await cloud.deliver('orders', handler)
  expect(String(errors[0])).toContain('delays: storedDelays()')
})

it('a flow hands over what its next stage waits for, with its run', async () => {
  const [cloud, delays] = [open(), noting()]
  const schema = z.object({ key: z.string() })
  const flow = defineFlow({
    name: 'trip',
    ...givenOf(cloud),
    delays,
    key: ({ key }) => key,
    stages: {
      book: { schema, queueUrl: cloud.queueUrl('orders') },
      ship: { schema, queueUrl: cloud.queueUrl('ship') },
    },
  })
  const book = flow.stageHandler('book', (booking, ctx) =>
    ctx.next('ship', booking, { delay: '2h' }),
  )
  await flow.start({ key: 'k' }, { uniqueRequestId: 'r1' })
  const now = cloud.clock.now()
  await cloud.deliver('orders', book)
  const run = { recordPk: 'flow#trip/k', uniqueRequestId: 'r1' }
  expect(delays.given).toMatchObject([
    { hold: { run }, due: now + 2 * HOUR, consumer: 'trip.book' },
  ])
  expect(cloud.messages('ship')).toEqual([])
})
