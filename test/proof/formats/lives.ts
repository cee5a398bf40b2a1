import { z } from 'zod'
import { lambdaContext } from '../../deliver/lambdaContext.ts'
import { type Library, urlOf, type World } from './world.ts'

/** One request, which one version begins, and another one ends. */
export interface Life {
  begin(library: Library, world: World): Promise<unknown>
  /** @returns what it has come to */
  end(library: Library, world: World): Promise<unknown>
}

const MINUTE_MS = 60_000
const HOUR_MS = 3_600_000

const add = (id: string) => ({ TableName: 'effects', Key: { id }, add: { n: 1 } }) as const

/** An effect and an outside call, then the end that `last` makes. */
function orders(library: Library, { options, calls }: World, last?: () => void) {
  return library.recordHandler(
    {
      ...options,
      name: 'orders',
      schema: z.object({ orderId: z.string() }),
      id: ({ orderId }) => orderId,
      retry: { delay: () => MINUTE_MS },
      delays: library.storedDelays(),
    },
    async ({ orderId }, ctx) => {
      await ctx.write('order', add(orderId))
      await ctx.call('charge', () => {
        calls.push('charge')
        return 'receipt'
      })
      last?.()
      await ctx.send(urlOf('mail'), { orderId })
      await ctx.send(urlOf('mail'), { orderId, again: true }, { delay: '1h', name: 'again' })
    },
  )
}

const Trip = z.object({ key: z.string() })

/** reserve → (quote) → charge; a newer request takes the key of the older one. */
function trips(library: Library, { options, calls }: World, last?: () => void) {
  const flow = library.defineFlow({
    ...options,
    name: 'trips',
    key: ({ key }) => key,
    onConflict: 'supersede',
    stages: {
      reserve: { schema: Trip, queueUrl: urlOf('reserve') },
      charge: { schema: Trip, queueUrl: urlOf('charge'), final: true },
    },
    awaitingSteps: {
      quote: {
        id: ({ id }) => id,
        schema: z.object({ id: z.string() }),
        queueUrl: urlOf('quotes'),
      },
    },
  })
  return {
    start: (uniqueRequestId: string) =>
      flow.start({ key: 'k' }, { uniqueRequestId, sentAt: options.clock.now() - MINUTE_MS }),
    reserve: flow.stageHandler('reserve', async ({ key }, ctx) => {
      await ctx.write('reserve', add(key))
      await ctx.awaitStep('quote', 'q-1', () => ctx.send(urlOf('questions'), { id: 'q-1' }))
    }),
    quoted: flow.answerHandler('quote', async (_quote, ctx) =>
      ctx.next('charge', { key: ctx.key }),
    ),
    charge: flow.stageHandler('charge', async ({ key }, ctx) => {
      await ctx.call('pay', () => {
        calls.push('pay')
        return 'receipt'
      })
      last?.()
      await ctx.write('charge', add(`${key} charged`))
    }),
  }
}

async function beginTrip(library: Library, world: World, last?: () => void) {
  const trip = trips(library, world, last)
  await trip.start('r-1')
  await world.deliver('reserve', trip.reserve)
  return trip
}

async function untilCharge(library: Library, world: World, last?: () => void) {
  const trip = await beginTrip(library, world, last)
  world.put('quotes', { id: 'q-1' })
  await world.deliver('quotes', trip.quoted)
  return trip
}

const sweep = ({ sweepHandler }: Library, { options }: World) => sweepHandler(options)()

/** The consumer of keys: a payment that is called for twice. */
function payment({ idempotent }: Library, { options, calls }: World) {
  const { store, clock, logger } = options
  return idempotent(
    { store, clock, logger, name: 'payments', key: ({ id }: { id: string }) => id },
    async (_payment: { id: string }, _context: unknown) => {
      calls.push('payment')
      return { receipt: 1 }
    },
  )
}

export const LIVES: Readonly<Record<string, Life>> = {
  'a record waits for its retry': {
    async begin(library, world) {
      world.put('orders', { orderId: 'o-1' })
      await world.deliver('orders', orders(library, world, fail))
    },
    async end(library, world) {
      world.advance(MINUTE_MS)
      const back = await world.deliver('orders', orders(library, world))
      return [back, world.calls, world.waiting()]
    },
  },
  'a record is dead': {
    async begin(library, world) {
      world.put('orders', { orderId: 'o-1' })
      await world.deliver('orders', orders(library, world, terminate(library)))
    },
    async end(library, world) {
      const back = await world.deliver('dead', orders(library, world), 'orders')
      return [back, world.calls, world.waiting()]
    },
  },
  'a record is complete, and its message waits in the table': {
    async begin(library, world) {
      world.put('orders', { orderId: 'o-1' })
      await world.deliver('orders', orders(library, world))
    },
    async end(library, world) {
      world.put('orders', { orderId: 'o-1' })
      const back = await world.deliver('orders', orders(library, world))
      world.advance(HOUR_MS)
      await sweep(library, world)
      return [back, world.calls, world.waiting()]
    },
  },
  'a run waits for an answer': {
    begin: beginTrip,
    async end(library, world) {
      const trip = trips(library, world)
      world.put('quotes', { id: 'q-1' })
      await world.deliver('quotes', trip.quoted)
      await world.deliver('charge', trip.charge)
      return [world.count('k charged'), world.calls, world.waiting()]
    },
  },
  'a run is in its last stage': {
    begin: untilCharge,
    async end(library, world) {
      await world.deliver('charge', trips(library, world).charge)
      return [world.count('k charged'), world.calls, world.waiting()]
    },
  },
  'a run is dead': {
    async begin(library, world) {
      const trip = await untilCharge(library, world, terminate(library))
      await world.deliver('charge', trip.charge)
    },
    async end(library, world) {
      await world.deliver('dead', trips(library, world).charge, 'charge')
      return [world.count('k charged'), world.calls, world.waiting()]
    },
  },
  'a run is complete': {
    async begin(library, world) {
      const trip = await untilCharge(library, world)
      await world.deliver('charge', trip.charge)
    },
    async end(library, world) {
      const trip = trips(library, world)
      await trip.start('r-1')
      await world.deliver('reserve', trip.reserve)
      return [world.count('k charged'), world.calls, world.waiting()]
    },
  },
  'a call has its answer': {
    begin: (library, world) => payment(library, world)({ id: 'p-1' }, lambdaContext()),
    async end(library, world) {
      const answer = await payment(library, world)({ id: 'p-1' }, lambdaContext())
      return [answer, world.calls]
    },
  },
}

function fail(): void {
  throw new Error('not now')
}

function terminate({ TerminalError }: Library): () => void {
  return () => {
    throw new TerminalError('sold out')
  }
}
