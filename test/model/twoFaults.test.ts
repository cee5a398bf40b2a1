import { afterAll, describe, expect, it } from 'vitest'
import { exploreWell, HEAD, print, rowOf, tableOf, traceOf } from './report.ts'
import { scenarios } from './scenarios.ts'

const rows: string[][] = [HEAD]
const MINUTES = 60_000 * 5
const TWO = { faults: 2 }

/** The others, and all kinds of faults: `LINECLEAR_MODEL=deep`. */
describe('two invocations and two faults', () => {
  it.each(['verify', 'lastAttempt'] as const)(
    '%s keeps all promises in every schedule',
    async (name) => {
      const report = await exploreWell(scenarios[name], TWO)
      rows.push(rowOf(scenarios[name], report))
      expect(traceOf(report)).toBe('')
      expect(report.whole).toBe(true)
    },
    MINUTES,
  )

  it(
    'once keeps all promises in the first half million of them',
    async () => {
      const report = await exploreWell(scenarios.once, { ...TWO, limit: 20_000 })
      rows.push(rowOf(scenarios.once, report))
      expect(traceOf(report)).toBe('')
      expect(report.covered).toBeGreaterThan(500_000)
    },
    MINUTES,
  )

  afterAll(() => print(tableOf(rows)))
})
