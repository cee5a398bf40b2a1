import { describe, expect, it } from 'vitest'
import { runCampaign } from './campaign.ts'
import { MODES } from './modes.ts'
import { runOrders } from './orders.ts'

const LIMIT = { timeout: 600_000 }
const SEED = 5
const BALANCED = { lost: [], doubled: [], swept: 0 }

describe('consumers under every fault', () => {
  it.concurrent.each(MODES)('$name', LIMIT, async (mode) => {
    const books = await runOrders({ requests: 8, seed: SEED, ...mode })
    expect(books).toMatchObject({ requests: 8, ...BALANCED })
    expect(books.completed + books.deadLetters).toBe(8)
    expect(books.again).toBeGreaterThan(8)
  })
})

/** With clocks an hour apart an answer that comes twice waits for an hour: nothing is lost, and no test waits for it. */
describe('flows under every fault', () => {
  const modes = MODES.filter(({ clocks }) => clocks === undefined)
  const policy = { name: 'newest-supersede', process: 'newest', onConflict: 'supersede' } as const
  it.concurrent.each(modes)('$name', LIMIT, async (mode) => {
    const books = await runCampaign({ requests: 6, seed: SEED, policy, ...mode })
    expect(books).toMatchObject({ requests: 6, stale: [], orphans: 0, dead: 0, ...BALANCED })
    expect(books.charges).toBeGreaterThanOrEqual(books.completed)
    expect(books.charges).toBeLessThanOrEqual(books.mayBeCharged)
  })
})
