import { StoreUnavailableError, TerminalError } from 'lineclear'
import { describe, expect, it } from 'vitest'
import type { SqlEffects } from '../../../src/library/run/context/sqlEffects.ts'
import { openWorld, request, STORES, storesFor } from './setUp.ts'

/** Notes when the fence is raised; `fails` says when the database gives no answer. */
function database(fails: () => boolean = () => false) {
  const raised: { readonly fence: number; readonly request: string }[] = []
  const sql: SqlEffects<unknown> = {
    raise: async ({ fencing: { fence, request: of } }) => {
      if (fails()) throw new StoreUnavailableError('the database gives no answer')
      raised.push({ fence, request: of })
    },
    open: () => ({
      sql: async (_name, work) => (await work('a transaction')) as never,
      assertOutside: () => {},
    }),
  }
  return { sql, raised }
}

describe.each(STORES)('an invocation with SQL effects, on %s', (kind) => {
  const store = storesFor(kind)

  it('raises the fence before a later attempt begins, and after one that failed', async () => {
    const world = openWorld(store())
    const { sql, raised } = database()
    let runs = 0
    const seen: number[] = []
    const handler = world.handler(
      async (_event, ctx) => {
        seen.push(raised.length)
        runs += 1
        const { sql: run } = ctx as unknown as {
          sql: (name: string, work: () => unknown) => unknown
        }
        await run('book', () => 1)
        if (runs === 1) throw new Error('not yet')
        return runs
      },
      { sql: sql as never },
    )
    await expect(handler({ cents: 1 }, request('r-1'))).rejects.toThrow('not yet')
    expect(await handler({ cents: 1 }, request('r-1'))).toBe(2)
    // Not before the first attempt, which cannot be late; after it failed; and before the second.
    expect(seen).toEqual([0, 2])
    expect(raised[1]?.fence).toBeGreaterThan(raised[0]?.fence ?? Infinity)
    expect(new Set(raised.map((each) => each.request)).size).toBe(1)
  })

  it('does not end for good, and does not begin, while the database gives no answer', async () => {
    const world = openWorld(store())
    let [down, runs] = [true, 0]
    const { sql } = database(() => down)
    const handler = world.handler(
      () => {
        runs += 1
        throw new TerminalError('account closed')
      },
      { sql: sql as never },
    )
    await expect(handler({ cents: 1 }, request('r-1'))).rejects.toThrow(StoreUnavailableError)
    await expect(handler({ cents: 1 }, request('r-1'))).rejects.toThrow(StoreUnavailableError)
    expect(runs).toBe(1)
    down = false
    await expect(handler({ cents: 1 }, request('r-1'))).rejects.toThrow('account closed')
    await expect(handler({ cents: 1 }, request('r-1'))).rejects.toThrow('account closed')
    expect(runs).toBe(2)
  })
})
