import type { TableReader } from '../../../../src/tools/operator/aws/tableReader.ts'
import { reconcile } from '../../../../src/tools/operator/reconcile/reconcile.ts'
import type { ReconcileProgress } from '../../../../src/tools/operator/reconcile/options.ts'
import { expect, it } from 'vitest'

const NOW = Date.parse('2026-01-31T12:00:00Z')

/** Four pages in each segment, each of 100 items of others and 50 read units. */
function tableOf(onScan: () => void = () => {}): TableReader {
  return {
    partition: async () => [],
    async *scan({ onPage } = {}) {
      for (let page = 0; page < 4; page++) {
        onScan()
        onPage?.({ looked: 100, readUnits: 50 })
        yield []
      }
    },
    count: async () => undefined,
  }
}

function clockOf() {
  let now = NOW
  return {
    now: () => now,
    sleep: async (milliseconds: number) => {
      now = Math.max(now, now + milliseconds)
    },
  }
}

const ledger = () => []

it('keeps to the rate of read units, counts them, and reports how far it is', async () => {
  const clock = clockOf()
  const steps: ReconcileProgress[] = []
  const report = await reconcile({
    table: tableOf(),
    consumer: 'orders',
    ledger,
    clock,
    rate: 100,
    onProgress: (progress) => steps.push(progress),
  })
  expect(report.cost).toEqual({ looked: 1_600, readUnits: 800 })
  // 800 units at 100 a second; the second before the start counts as free.
  expect(clock.now() - NOW).toBeGreaterThanOrEqual(7_000)
  expect(steps).toContainEqual({ step: 'table', done: 1_600 })
})

it('a segment that fails ends the check, and the others read no further', async () => {
  let pages = 0
  const table = tableOf(() => {
    pages += 1
    if (pages === 3) throw new Error('no answer')
  })
  const options = { table, consumer: 'orders', ledger, clock: clockOf() }
  await expect(reconcile(options)).rejects.toThrow('no answer')
  const before = pages
  await new Promise((resolve) => setTimeout(resolve, 20))
  expect(pages).toBe(before)
  expect(pages).toBeLessThan(16)
})
