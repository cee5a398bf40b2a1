import { describe, expect, it } from 'vitest'
import type { Metrics } from '../../../src/library/features/metrics/metrics.ts'
import { runCampaign } from './campaign.ts'
import { runOrders } from './orders.ts'

const LIMIT = { timeout: 600_000 }
/** No function is killed: a killed one reports nothing. */
const FAULTS = { duplicate: 0.3, duplicateLater: 0.3, loseAnswer: 0.01, shuffle: true }
/** Nor does one time out, on a busy machine. */
const REQUESTS = { requests: 12, seed: 5, faults: FAULTS, timeout: 6 }

/** A settlement is counted under its kind. */
const COUNTED =
  'completed duplicate alreadyDeadLettered stale superseded reset dropped coalesced late accepted replaced resent retrying'
const NAMED = `${COUNTED} deferred notStarted timedOut`.split(' ')

type Settled = Readonly<Record<string, number>>

describe('every figure adds up to what was delivered', () => {
  it.concurrent('of a consumer', LIMIT, async () => {
    const { metrics, of } = openSums()
    const { settled, deliveries } = await runOrders({ ...REQUESTS, metrics })
    expect(of('received')).toBe(deliveries)
    expect(endsIn(settled)).toBe(deliveries)
    expect(of('duplicate')).toBe(settled['duplicate'])
    expect([of('resent'), of('retrying')]).toEqual([
      settled['resent'] ?? 0,
      settled['retrying'] ?? 0,
    ])
    expect(of('deadLettered') + of('rejected')).toBe(settled['deadLettered'])
    expect(of('completed')).toBe(settled['completed'])
    expect(of('lostAttempts')).toBe(0)
  })

  it.concurrent('of a flow with answers from outside', LIMIT, async () => {
    const { metrics, of } = openSums()
    const policy = { name: 'supersede', process: 'newest', onConflict: 'supersede' } as const
    const { settled } = await runCampaign({ ...REQUESTS, policy, metrics })
    expect(of('received')).toBe(endsIn(settled))
    for (const name of NAMED) expect([name, of(name)]).toEqual([name, settled[name] ?? 0])
    expect(of('completed')).toBeGreaterThan(REQUESTS.requests)
    expect(of('lostAttempts')).toBe(0)
  })
})

describe('attempts that are killed are counted as lost, by those that take over', () => {
  /** At least one is killed once it has claimed. */
  const CLAIMED = { invocation: 1, call: 1, fault: 'killAfter' } as const
  const KILLED = { ...REQUESTS, requests: 6, faults: { kill: 0.05, at: [CLAIMED] }, timeout: 2 }

  it.concurrent('of a consumer', LIMIT, async () => {
    const { metrics, of } = openSums()
    const { faults, lost, doubled } = await runOrders({ ...KILLED, metrics })
    expect({ lost, doubled }).toEqual({ lost: [], doubled: [] })
    expect(faults['kills']).toBeGreaterThan(0)
    expect(of('lostAttempts')).toBeGreaterThan(0)
  })

  it.concurrent('of a flow', LIMIT, async () => {
    const { metrics, of } = openSums()
    const policy = { name: 'supersede', process: 'newest', onConflict: 'supersede' } as const
    const { faults, lost, doubled } = await runCampaign({ ...KILLED, policy, metrics })
    expect({ lost, doubled }).toEqual({ lost: [], doubled: [] })
    expect(faults['kills']).toBeGreaterThan(0)
    expect(of('lostAttempts')).toBeGreaterThan(0)
  })
})

function endsIn(settled: Settled): number {
  return Object.values(settled).reduce((sum, number) => sum + number, 0)
}

function openSums(): { readonly metrics: Metrics; readonly of: (name: string) => number } {
  const sums = new Map<string, number>()
  const metrics: Metrics = {
    addDimension() {},
    addMetric: (name, _unit, value) => sums.set(name, (sums.get(name) ?? 0) + value),
    publishStoredMetrics() {},
  }
  return { metrics, of: (name) => sums.get(name) ?? 0 }
}
