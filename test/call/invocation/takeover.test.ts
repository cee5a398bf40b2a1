import { InProgressError, storedDelays } from 'lineclear'
import { describe, expect, it, vi } from 'vitest'
import type { Clock } from '../../../src/library/base/clock.ts'
import { shardsOf } from '../../../src/library/protocol/claim/statusIndex.ts'
import { openWorld, request, STORES, storesFor, type World } from './setUp.ts'

const SECOND = 1_000

/** An attempt that does not end before the test lets it. */
function hanging(world: World, clock: Clock) {
  const { promise, resolve } = Promise.withResolvers<void>()
  const begun = Promise.withResolvers<void>()
  const handler = world.handler(
    async ({ cents }, ctx) => {
      begun.resolve()
      await promise
      return ctx.write('book', world.add(cents))
    },
    { clock },
  )
  return { handler, begun: begun.promise, goOn: resolve }
}

/** The clock of an attempt that waits for its next sign of life. */
function beating({ clock }: World) {
  let waiting = 0
  const sleep: Clock['sleep'] = async (milliseconds, signal) => {
    waiting += 1
    await clock.sleep(milliseconds, signal)
    waiting -= 1
  }
  /** Time passes, and each sign of life that is due is stored before more of it does. */
  const pass = async (seconds: number): Promise<void> => {
    const all = waiting
    for (let passed = 0; passed < seconds; passed += 5) {
      clock.advance(5 * SECOND)
      await new Promise(setImmediate)
      await vi.waitUntil(() => waiting >= all, { interval: 1, timeout: 300_000 })
    }
  }
  return { clock: { ...clock, sleep }, pass }
}

describe.each(STORES)('an invocation whose attempt before was killed, on %s', (kind) => {
  const store = storesFor(kind)

  /** Its claim is there, and it never says anything again. */
  async function killed(world: World): Promise<void> {
    const dead = { ...world.clock, sleep: () => new Promise<never>(() => {}) }
    const handler = world.handler(() => new Promise(() => {}), { clock: dead })
    handler({ cents: 1 }, request('r-1')).catch(() => {})
    while ((await world.token('r-1')) === undefined) await new Promise(setImmediate)
  }

  it('takes over as the same request, half a minute after the last sign of life', async () => {
    const world = openWorld(store())
    await killed(world)
    const retry = world.handler(async ({ cents }, ctx) => {
      await ctx.write('book', world.add(cents))
      return ctx.attempt
    })
    world.clock.advance(34 * SECOND)
    await expect(retry({ cents: 5 }, request('r-1'))).rejects.toThrow(InProgressError)
    world.clock.advance(2 * SECOND)
    expect(await retry({ cents: 5 }, request('r-1'))).toBe(2)
    expect(await world.sum()).toMatchObject({ cents: 5 })
  })

  it('waits for the lease as another request with its key', async () => {
    const world = openWorld(store())
    const id = () => 'night'
    const dead = { ...world.clock, sleep: () => new Promise<never>(() => {}) }
    const stuck = world.handler(() => new Promise(() => {}), { clock: dead, key: id })
    stuck({ cents: 1 }, request('r-1')).catch(() => {})
    while ((await world.token('night')) === undefined) await new Promise(setImmediate)
    const other = world.handler(() => 'done', { key: id })
    world.clock.advance(60 * SECOND)
    await expect(other({ cents: 1 }, request('r-2'))).rejects.toThrow(InProgressError)
    world.clock.advance(900 * SECOND)
    expect(await other({ cents: 1 }, request('r-2'))).toBe('done')
  })

  it('leaves an attempt alone that still gives signs of life', async () => {
    const world = openWorld(store())
    const { clock, pass } = beating(world)
    const { handler, begun, goOn } = hanging(world, clock)
    const first = handler({ cents: 5 }, request('r-1'))
    await begun
    await pass(120)
    const retry = world.handler(() => 'taken over')
    await expect(retry({ cents: 5 }, request('r-1'))).rejects.toThrow(InProgressError)
    goOn()
    expect(await first).toEqual({ applied: true })
  })

  it('fences an attempt that wakes up late, whose signal has aborted, and gives it the new result', async () => {
    const world = openWorld(store())
    const late = Promise.withResolvers<void>()
    const begun = Promise.withResolvers<AbortSignal>()
    const asleep = { ...world.clock, sleep: () => new Promise<never>(() => {}) }
    const slow = world.handler(
      async ({ cents }, ctx) => {
        begun.resolve(ctx.signal)
        await late.promise
        await ctx.write('book', world.add(cents))
        return 'slow'
      },
      { clock: asleep },
    )
    const first = slow({ cents: 5 }, request('r-1'))
    await begun.promise
    world.clock.advance(60 * SECOND)
    const retry = world.handler(async ({ cents }, ctx) => {
      await ctx.write('book', world.add(cents))
      return 'retry'
    })
    expect(await retry({ cents: 5 }, request('r-1'))).toBe('retry')
    late.resolve()
    expect(await first).toBe('retry')
    expect(await world.sum()).toMatchObject({ cents: 5 })
  })

  it('aborts the signal of an attempt that has lost its key, and sends and stores none of its messages', async () => {
    const world = openWorld(store())
    const signal = Promise.withResolvers<AbortSignal>()
    const goOn = Promise.withResolvers<void>()
    const handler = world.handler(
      async (_event, ctx) => {
        await ctx.send(world.queueUrl, 'at once')
        await ctx.send(world.queueUrl, 'tomorrow', { delay: '24h' })
        signal.resolve(ctx.signal)
        await goOn.promise
      },
      { delays: storedDelays() },
    )
    const first = handler({ cents: 5 }, request('r-1'))
    const aborted = await signal.promise
    const token = await world.token('r-1')
    await world.store.update([
      { key: { pk: String(token?.['pk']), sk: 'token' }, where: [], set: { attemptId: 'other' } },
    ])
    world.clock.advance(15 * SECOND)
    await expect.poll(() => aborted.aborted).toBe(true)
    goOn.resolve()
    await expect(first).rejects.toThrow('another call took over')
    expect(world.sent()).toEqual([])
    const due = { until: Number.MAX_SAFE_INTEGER, most: 10 }
    for (const statusShard of shardsOf('later')) {
      expect(await world.store.due({ ...due, statusShard })).toMatchObject({ keys: [] })
    }
  })
})
