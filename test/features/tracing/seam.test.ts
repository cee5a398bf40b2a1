import { type Envelope, producer, recordHandler, TerminalError, type Tracing } from 'lineclear'
import { memoryCloud } from 'lineclear/testing'
import { expect, it } from 'vitest'
import { z } from 'zod'

const SENDER = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01'
const Order = z.object({ orderId: z.string() })
const OWN = '00-0af7651916cd43dd8448eb211c80319c-00f067aa0ba902b7-01'

function carrying<Of extends { readonly envelope: Envelope }>(message: Of): Of {
  const { envelope } = message
  const carried = { traceparent: OWN, ...envelope.carried }
  return { ...message, envelope: { ...envelope, carried } }
}

/** Writes down every call. */
function recorder() {
  const calls: unknown[] = []
  const send: Tracing['send'] = async ({ route, target, count }, work) => {
    const answers = await work({ traceparent: OWN, stamp: (message) => message })
    calls.push([route, target.split(/[/:]/).at(-1), count, answers.length])
    return answers
  }
  const tracing: Tracing = {
    batch: (records, names, run) => {
      calls.push(['batch', records.length, names])
      return run()
    },
    delivery: ({ incoming, claim }) => {
      const { message } = incoming ?? {}
      calls.push(['delivery', message?.uniqueRequestId, claim?.hold?.attempt, message?.kind])
      return {
        traceparent: OWN,
        carry: (given) => carrying(given),
        run: (work) => work(),
        call: (kind, name, work) => {
          calls.push([kind, name])
          return work()
        },
        send,
        threw: (error) => calls.push(['threw', String(error)]),
        settled: ({ kind }) => calls.push(['settled', kind]),
      }
    },
    call: () => {
      throw new Error('not here')
    },
    send,
  }
  return { tracing, calls }
}

function cloudOf() {
  const dead = { queue: 'dead', maxReceiveCount: 10 }
  return memoryCloud({ queues: { orders: { deadLetter: dead }, mail: {}, dead: {} } })
}

it('a traced consumer tells of each delivery: begun, calls made, sent, settled', async () => {
  const { tracing, calls } = recorder()
  const cloud = cloudOf()
  const { store, clients, clock, logger } = cloud
  const handler = recordHandler(
    {
      name: 'orders',
      store,
      clients,
      clock,
      logger,
      tracing,
      schema: Order,
      id: ({ orderId }) => orderId,
    },
    async (_, ctx) => {
      await ctx.call('charge', () => 1)
      await ctx.send(cloud.queueUrl('mail'), {})
      if (ctx.attempt === 1) throw new Error('no')
    },
  )
  cloud.send('orders', { orderId: 'o1' })
  await cloud.drain({ orders: handler })
  cloud.send('orders', { orderId: 'o1' })
  await cloud.drain({ orders: handler })
  const batch = ['batch', 1, { consumer: 'orders' }]
  expect(calls).toEqual([
    batch,
    ['delivery', 'o1', 1, 'readable'],
    ['call', 'charge'],
    ['threw', 'Error: no'],
    ['settled', 'resent'],
    batch,
    ['delivery', 'o1', 2, 'readable'],
    ['send', 'mail', 1, 1],
    ['settled', 'completed'],
    batch,
    ['delivery', 'o1', undefined, 'readable'],
    ['settled', 'duplicate'],
  ])
})

it.each([
  ['with the context of its sender', SENDER],
  ['without one', undefined],
])('a message %s: its dead letter and what is sent for it carry one on', async (_, traceparent) => {
  const { tracing } = recorder()
  const cloud = cloudOf()
  const { store, clients, clock, logger } = cloud
  const handler = recordHandler(
    { name: 'orders', store, clients, clock, logger, tracing },
    async (payload, ctx) => {
      await ctx.send(cloud.queueUrl('mail'), payload)
      if (payload === 2) throw new TerminalError('no')
    },
  )
  for (const payload of [1, 2]) {
    cloud.send('orders', payload, { attributes: traceparent === undefined ? {} : { traceparent } })
  }
  await cloud.drain({ orders: handler })
  const carried = ['mail', 'dead'].flatMap((queue) =>
    cloud.messages(queue).map(({ carried }) => carried.traceparent),
  )
  expect(carried).toEqual([traceparent ?? OWN, traceparent ?? OWN])
})

it('a traced producer sends the context of its call', async () => {
  const { tracing, calls } = recorder()
  const cloud = cloudOf()
  const orders = producer({ clients: cloud.clients, clock: cloud.clock, tracing })
  await orders.send(cloud.queueUrl('orders'), {})
  await orders.sendMany(cloud.queueUrl('orders'), [{ payload: 1 }, { payload: 2 }])
  const carried = cloud.messages('orders').map(({ carried }) => carried.traceparent)
  expect(carried).toEqual([OWN, OWN, OWN])
  expect(calls).toEqual([
    ['send', 'orders', 1, 1],
    ['send', 'orders', 2, 2],
  ])
})

it('a message that is sent at the very limit leaves without its context, not at all', async () => {
  const { tracing } = recorder()
  const cloud = cloudOf()
  const { store, clients, clock, logger } = cloud
  const handler = recordHandler(
    { name: 'orders', store, clients, clock, logger, tracing },
    async (_, ctx) => {
      await ctx.send(cloud.queueUrl('mail'), 'x'.repeat(1_048_576 - 150))
    },
  )
  cloud.send('orders', 1)
  await cloud.drain({ orders: handler })
  const sent = cloud.messages('mail').map(({ carried }) => carried.traceparent)
  expect(sent).toEqual([undefined])
})

it('another object in place of a tracing is refused, and said what was expected', () => {
  const { store } = cloudOf()
  const tracing = { startSpan: () => {} } as unknown as Tracing
  expect(() => recordHandler({ name: 'orders', store, tracing }, () => {})).toThrow(
    'recordHandler: tracing: expected openTelemetry(); got',
  )
})
