import { describe, expect, it } from 'vitest'
import type { Metrics } from '../../src/metrics/metrics.ts'
import { runCampaign } from './campaign.ts'
import { MODES } from './modes.ts'
import { runOrders } from './orders.ts'

const LIMIT = { timeout: 300_000 }
const SEED = 5
const BALANCED = { lost: [], doubled: [], swept: 0 }

describe('consumers in a hostile world', () => {
  it.concurrent.each(MODES)('$name', LIMIT, async (mode) => {
    const books = await runOrders({ requests: 20, seed: SEED, ...mode })
    expect(books).toMatchObject({ requests: 20, ...BALANCED })
    expect(books.completed + books.letters).toBe(20)
    expect(books.again).toBeGreaterThan(20)
  })

  it.concurrent('every figure adds up to what was delivered', LIMIT, async () => {
    const sums = new Map<string, number>()
    const metrics: Metrics = {
      addDimension() {},
      addMetric: (name, _unit, value) => sums.set(name, (sums.get(name) ?? 0) + value),
      publishStoredMetrics() {},
    }
    const faults = { duplicate: 0.3, duplicateLater: 0.3, shuffle: true }
    const { settled, deliveries } = await runOrders({ requests: 20, seed: SEED, faults, metrics })
    const of = (name: string): number => sums.get(name) ?? 0
    const ends = Object.values(settled).reduce((sum, number) => sum + number, 0)
    expect(of('received')).toBe(deliveries)
    expect(ends).toBe(deliveries)
    expect(of('completed')).toBe(settled['completed'])
    expect(of('duplicate')).toBe(settled['duplicate'])
    expect(of('retried')).toBe((settled['resent'] ?? 0) + (settled['retrying'] ?? 0))
    expect(of('deadLettered') + of('rejected')).toBe(settled['deadLettered'])
  })
})

/** With clocks an hour apart an answer that comes twice waits for an hour: nothing is lost, and no test waits for it. */
describe('flows in a hostile world', () => {
  const modes = MODES.filter(({ clocks }) => clocks === undefined)
  const policy = { name: 'newest-supersede', order: 'newest', onConflict: 'supersede' } as const
  it.concurrent.each(modes)('$name', LIMIT, async (mode) => {
    const books = await runCampaign({ requests: 12, seed: SEED, policy, ...mode })
    expect(books).toMatchObject({ requests: 12, stale: [], orphans: 0, dead: 0, ...BALANCED })
    expect(books.charges).toBe(books.completed)
  })
})
