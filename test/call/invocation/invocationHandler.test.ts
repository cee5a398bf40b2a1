import { TerminalError, UnknownOutcomeError } from 'lineclear'
import { describe, expect, it } from 'vitest'
import { openWorld, request, STORES, storesFor, type Work, type World } from './setUp.ts'

/** Books and tells, each once. */
function booking(world: World, then: () => unknown = () => 'booked'): Work {
  return async ({ cents }, ctx) => {
    await ctx.write('book', world.add(cents))
    await ctx.send(world.queueUrl, { cents })
    return then()
  }
}

describe.each(STORES)('a direct invocation on %s', (kind) => {
  const store = storesFor(kind)

  it('makes its effects once, and replays its result to Lambda retries and duplicates', async () => {
    const world = openWorld(store())
    const handler = world.handler(booking(world))
    expect(await handler({ cents: 5 }, request('r-1'))).toBe('booked')
    expect(await handler({ cents: 5 }, request('r-1'))).toBe('booked')
    expect(await world.sum()).toMatchObject({ cents: 5 })
    expect(world.sent()).toEqual([{ cents: 5 }])
  })

  it('continues after an error with the effects and results that are stored', async () => {
    const world = openWorld(store())
    let [calls, runs] = [0, 0]
    const handler = world.handler(async ({ cents }, ctx) => {
      runs += 1
      await ctx.write('book', world.add(cents))
      const receipt = await ctx.call('charge', () => `receipt ${(calls += 1)}`)
      await ctx.send(world.queueUrl, { receipt })
      if (runs === 1) throw new Error('the first attempt fails')
      return receipt
    })
    await expect(handler({ cents: 5 }, request('r-1'))).rejects.toThrow('the first attempt fails')
    expect(world.sent()).toEqual([])
    expect(await handler({ cents: 5 }, request('r-1'))).toBe('receipt 1')
    expect(await world.sum()).toMatchObject({ cents: 5 })
    expect({ calls, runs, sent: world.sent() }).toEqual({
      calls: 1,
      runs: 2,
      sent: [{ receipt: 'receipt 1' }],
    })
  })

  it('stores a TerminalError, and throws it to every later attempt', async () => {
    const world = openWorld(store())
    let runs = 0
    const handler = world.handler(
      booking(world, () => {
        runs += 1
        throw new TerminalError('account closed')
      }),
    )
    await expect(handler({ cents: 5 }, request('r-1'))).rejects.toThrow('account closed')
    await expect(handler({ cents: 5 }, request('r-1'))).rejects.toThrow('account closed')
    expect(runs).toBe(1)
    expect(world.sent()).toEqual([])
  })

  it('parks an unknown outcome for an operator', async () => {
    const world = openWorld(store())
    let calls = 0
    const handler = world.handler(async (_event, ctx) => {
      const charge = (): never => {
        calls += 1
        throw new Error('the connection broke')
      }
      await ctx.call('charge', charge, { ifUnknown: 'stop' })
    })
    await expect(handler({ cents: 5 }, request('r-1'))).rejects.toThrow(UnknownOutcomeError)
    await expect(handler({ cents: 5 }, request('r-1'))).rejects.toThrow(UnknownOutcomeError)
    expect(calls).toBe(1)
    expect(await world.token('r-1')).toMatchObject({ status: 'unknown', 'step:charge': 'start' })
  })
})
