import { sweepHandler, TerminalError } from 'lineclear'
import type { LocalCloud } from 'lineclear/local'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { notIn } from '../proof/hostile/mode.ts'
import type { Store, Update } from '../../src/library/protocol/store/store.ts'
import {
  deliver,
  type FlowHarness,
  flowHarness,
  emptyAll,
  hand,
  receive,
  send,
  sendCopy,
  startFlowCloud,
} from './flowHarness.ts'
import { counting, tripOn } from './trip.ts'

let cloud: LocalCloud
beforeAll(async () => {
  cloud = await startFlowCloud()
})
afterEach(() => emptyAll(cloud))
afterAll(() => cloud.stop())

const RACES = ['twice', 'atOnce', 'lost', 'dying', 'ten', 'killed'] as const
const calm = notIn(RACES, 'it has races of its own')
const byTheClock = notIn([...RACES, 'clocks'], 'its sweeper must know what time it is')
const log: unknown[] = []
afterEach(() => void log.splice(0))

/** Runs another write once, just before the first write that `which` accepts. */
function before(
  { store }: FlowHarness,
  which: (update: Update) => boolean,
  rival: () => unknown,
): void {
  const { update } = store
  let open = true
  store.update = async (updates) => {
    if (open && updates.some(which)) {
      open = false
      await rival()
    }
    return update(updates)
  }
}

const sets =
  (name: string) =>
  ({ set = {} }: Update): boolean =>
    name in set

/** A first attempt outlives its lease while it runs, and a second one begins: neither has ended. @param begun one entry each */
async function overtaken(
  { clock }: FlowHarness,
  book: Parameters<typeof hand>[3],
  begun: readonly unknown[],
): Promise<readonly [ReturnType<typeof hand>, ReturnType<typeof hand>]> {
  const record = await one('book')
  const first = hand(cloud, 'book', [record], book)
  while (begun.length < 1) await new Promise(setImmediate)
  clock.advance(60_000)
  const second = hand(cloud, 'book', [record], book)
  while (begun.length < 2) await new Promise(setImmediate)
  return [first, second]
}

/** Records every read, and whether it was consistent. */
function readsOf({ store }: FlowHarness): unknown[] {
  const options: unknown[] = []
  const read = store.read.bind(store)
  store.read = (...args: Parameters<Store['read']>) => {
    options.push(args[1]?.consistent)
    return read(...args)
  }
  return options
}

async function one(queue: 'book' | 'ship' | 'dead') {
  const [record] = await receive(cloud, queue)
  if (record === undefined) throw new Error('nothing came')
  return record
}

describe('two invocations with one message', () => {
  it('run it once, when no run held the key before', calm, async () => {
    const harness = flowHarness(cloud)
    const trip = tripOn(cloud, harness)
    const book = trip.stageHandler('book', () => log.push('ran'))
    await trip.start({ key: 'k' })
    const record = await one('book')
    await Promise.all([1, 2].map(() => hand(cloud, 'book', [record], book)))
    expect(log).toEqual(['ran'])
  })

  it(
    'the one whose claim was taken over keeps its message: the other one may die',
    calm,
    async () => {
      const harness = flowHarness(cloud)
      const trip = tripOn(cloud, harness)
      const [late, other] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
      const book = trip.stageHandler('book', async (_booking, ctx) => {
        log.push(ctx.attempt)
        await (ctx.attempt === 1 ? late : other).promise
      })
      await trip.start({ key: 'k' })
      const [first, second] = await overtaken(harness, book, log)
      late.resolve()
      expect(await first).toEqual({ kept: 1 })
      other.resolve()
      expect(await second).toEqual({ kept: 0 })
    },
  )

  it('continue with one result, when both have made the same call', calm, async () => {
    const harness = flowHarness(cloud)
    const trip = tripOn(cloud, harness)
    const calls: PromiseWithResolvers<string>[] = []
    const book = trip.stageHandler('book', async (_booking, ctx) => {
      const answer = await ctx.call('card', () => {
        const call = Promise.withResolvers<string>()
        calls.push(call)
        return call.promise
      })
      log.push(answer)
    })
    await trip.start({ key: 'k' })
    const [first, second] = await overtaken(harness, book, calls)
    calls[0]?.resolve('receipt 1')
    await first
    calls[1]?.resolve('receipt 2')
    await second
    expect(log).toEqual(['receipt 1', 'receipt 1'])
  })
})

describe('an attempt whose stage another attempt has claimed', () => {
  it('sends no dead letter: the other one may succeed', calm, async () => {
    const harness = flowHarness(cloud)
    const trip = tripOn(cloud, harness)
    const [late, other] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
    const book = trip.stageHandler('book', async (_booking, ctx) => {
      log.push(ctx.attempt)
      await (ctx.attempt === 1 ? late : other).promise
      if (ctx.attempt === 1) throw new TerminalError('broken')
    })
    await trip.start({ key: 'k' })
    const [first, second] = await overtaken(harness, book, log)
    late.resolve()
    expect(await first).toEqual({ kept: 1 })
    other.resolve()
    expect(await second).toEqual({ kept: 0 })
    expect(await receive(cloud, 'dead')).toEqual([])
  })
})

describe('two stages that end together', () => {
  it('the last one to settle ends the run, in either order', calm, async () => {
    const harness = flowHarness(cloud)
    const trip = tripOn(cloud, harness)
    const book = trip.stageHandler('book', async (_booking, ctx) => {
      await ctx.next('pay', { key: ctx.key, price: 1 })
      await ctx.next('ship', { key: ctx.key })
    })
    const pay = trip.stageHandler('pay', () => {})
    const ship = trip.stageHandler('ship', () => {})
    await trip.start({ key: 'k' })
    await deliver(cloud, 'book', book)
    const record = await one('ship')
    before(harness, sets('stage:pay'), () => {
      // By now `pay` has claimed: it is about to settle.
      before(harness, sets('stage:pay'), () => hand(cloud, 'ship', [record], ship))
    })
    await deliver(cloud, 'pay', pay)
    expect(harness.record()).not.toHaveProperty('uniquerequestid')
  })
})

describe('an awaited step', () => {
  const asking = async (ids: readonly string[], timeout?: '10m') => {
    const harness = flowHarness(cloud)
    const trip = tripOn(cloud, harness)
    const book = trip.stageHandler('book', (_booking, ctx) =>
      ctx.awaitStep('quote', ids, () => {}, timeout === undefined ? {} : { timeout }),
    )
    const quote = trip.answerHandler(
      'quote',
      (_quote, ctx) => log.push([...ctx.answers.keys()].toSorted()),
      { onTimeout: () => log.push('timed out') },
    )
    await trip.start({ key: 'k' }, { uniqueRequestId: 'r1' })
    await deliver(cloud, 'book', book)
    return { harness, trip, quote }
  }

  it(
    'is requested once, when an attempt that outlived its lease reaches it after a redrive',
    calm,
    async () => {
      const harness = flowHarness(cloud)
      const trip = tripOn(cloud, harness, { retry: { maxAttempts: 1 } })
      const stalled = Promise.withResolvers<void>()
      const errors: unknown[] = []
      const book = trip.stageHandler('book', async (_booking, ctx) => {
        log.push('begun')
        if (log.length === 1) await stalled.promise
        const asked = ctx.awaitStep('quote', 'q1', () => log.push('asked'))
        await asked.catch((error: unknown) => {
          errors.push(error)
          throw error
        })
      })
      await trip.start({ key: 'k' }, { uniqueRequestId: 'r1' })
      const record = await one('book')
      const first = hand(cloud, 'book', [record], book)
      while (log.length < 1) await new Promise(setImmediate)
      harness.clock.advance(60_000)
      await hand(cloud, 'book', [record], book)
      await sendCopy(cloud, 'book', await one('dead'))
      await deliver(cloud, 'book', book)
      stalled.resolve()
      await first
      expect(log).toEqual(['begun', 'begun', 'asked'])
      expect(errors).toMatchObject([{ code: 'SUPERSEDED' }])
    },
  )

  it('keeps the later timeout, when two heartbeats arrive at once', calm, async () => {
    const { harness, trip } = await asking(['a'], '10m')
    before(harness, sets('until'), () => trip.extendTimeout('quote', 'a', '1h'))
    expect(await trip.extendTimeout('quote', 'a', '2h')).toBe(1)
    const step = harness.store.items().find(({ sk }) => sk === 'await#quote#r1')
    expect(step).toMatchObject({ until: harness.clock.now() + 2 * 3_600_000 })
  })

  it('is found by an answer that arrives while it is requested', calm, async () => {
    const harness = flowHarness(cloud)
    const trip = tripOn(cloud, harness)
    const { create } = harness.store
    harness.store.create = async (items) => {
      await new Promise(setImmediate)
      return create(items)
    }
    const book = trip.stageHandler('book', (_booking, ctx) =>
      ctx.awaitStep('quote', ['a', 'b'], async () => {
        for (const quoteId of ['a', 'b'])
          log.push(await trip.answer('quote', { quoteId, price: 1 }))
      }),
    )
    await trip.start({ key: 'k' })
    await deliver(cloud, 'book', book)
    expect(log).toEqual(['accepted', 'accepted'])
  })

  it('continues when its last two answers arrive at once', calm, async () => {
    const { quote } = await asking(['a', 'b'])
    for (const quoteId of ['a', 'b']) await send(cloud, 'quotes', { quoteId, price: 1 })
    await deliver(cloud, 'quotes', quote)
    await deliver(cloud, 'quotes', quote)
    expect(log).toEqual([['a', 'b']])
  })

  it(
    'stores an answer of a join before it counts it: the attempt that completes the join reads it',
    calm,
    async () => {
      const { harness, quote } = await asking(['a', 'b'])
      before(harness, sets('count'), () => {
        log.push(harness.store.items().some(({ externalId }) => externalId === 'a'))
      })
      await send(cloud, 'quotes', { quoteId: 'a', price: 1 })
      await deliver(cloud, 'quotes', quote)
      expect(log).toEqual([true])
    },
  )

  it(
    'continues with the answer that arrived just before its timeout, and does not time out',
    byTheClock,
    async () => {
      const { harness, trip, quote } = await asking(['a'], '10m')
      harness.clock.advance(13 * 60_000)
      // Its timeout message was lost.
      await sweepHandler({
        store: harness.store,
        clock: harness.clock,
        logger: harness.options.logger,
        clients: { sqs: cloud.sqs },
      })()
      before(
        harness,
        ({ set }) => set?.['joinedBy'] === 'timeout',
        () => trip.answer('quote', { quoteId: 'a', price: 1 }),
      )
      await deliver(cloud, 'quotes', quote)
      await deliver(cloud, 'quotes', quote)
      expect(log).toEqual([['a']])
    },
  )
})

describe('what a stage knows as its own', () => {
  it('is a mark whose write was sent twice because its answer was lost', calm, async () => {
    const harness = flowHarness(cloud)
    const { transact } = harness.store
    harness.store.transact = async (...args) => {
      await transact(...args)
      return transact(...args)
    }
    const trip = tripOn(cloud, harness)
    const book = trip.stageHandler('book', (_booking, ctx) => ctx.write('seat', counting('seats')))
    await trip.start({ key: 'k' })
    expect(await deliver(cloud, 'book', book)).toEqual({ came: 1, kept: 0 })
    expect(harness.count('seats')).toBe(1)
  })

  it('is a key of its own for a call of the same name', async () => {
    const harness = flowHarness(cloud)
    const trip = tripOn(cloud, harness)
    const keys = new Set<string>()
    const book = trip.stageHandler('book', async (_booking, ctx) => {
      await ctx.call('call', ({ idempotencyKey }) => void keys.add(idempotencyKey))
      await ctx.next('ship', { key: ctx.key })
    })
    const ship = trip.stageHandler('ship', (_shipping, ctx) =>
      ctx.call('call', ({ idempotencyKey }) => void keys.add(idempotencyKey)),
    )
    await trip.start({ key: 'k' })
    await deliver(cloud, 'book', book)
    await deliver(cloud, 'ship', ship)
    expect(keys.size).toBe(2)
  })
})

describe('the end of a run', () => {
  it('by a reset is tried again when the record has changed meanwhile', calm, async () => {
    const harness = flowHarness(cloud)
    const trip = tripOn(cloud, harness)
    const book = trip.stageHandler('book', (_booking, ctx) => ctx.next('ship', { key: ctx.key }))
    const ship = trip.stageHandler('ship', () => {
      throw new Error('not now')
    })
    await trip.start({ key: 'k' })
    await deliver(cloud, 'book', book)
    before(
      harness,
      ({ set }) => set?.['epoch'] !== undefined,
      () => deliver(cloud, 'ship', ship),
    )
    await trip.reset('k')
    expect(harness.record()).not.toHaveProperty('uniquerequestid')
  })

  it('by death is stored before the key is free', calm, async () => {
    const harness = flowHarness(cloud)
    const trip = tripOn(cloud, harness, { retry: { maxAttempts: 1 } })
    const book = trip.stageHandler('book', () => {
      throw new Error('broken')
    })
    await trip.start({ key: 'k' }, { uniqueRequestId: 'r1' })
    before(
      harness,
      ({ set }) => set?.['epoch'] !== undefined,
      () => {
        log.push(harness.store.items().some(({ sk }) => sk === 'dead#r1'))
      },
    )
    await deliver(cloud, 'book', book)
    expect(log).toEqual([true])
  })
})

it('flows read nothing that may be older than the last write', async () => {
  const harness = flowHarness(cloud)
  const trip = tripOn(cloud, harness)
  const options = readsOf(harness)
  const book = trip.stageHandler('book', (_booking, ctx) => ctx.awaitStep('quote', 'q1', () => {}))
  await trip.start({ key: 'k' })
  await deliver(cloud, 'book', book)
  expect(await trip.answer('quote', { quoteId: 'q1', price: 1 })).toBe('accepted')
  expect(new Set(options)).toEqual(new Set([true]))
})
