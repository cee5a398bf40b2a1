import { afterAll, describe, expect, it } from 'vitest'
import { exploreWell, HEAD, print, rowOf, tableOf, traceOf } from './report.ts'
import { bound } from '../depth.ts'
import { scenarios } from './scenarios.ts'

const rows: string[][] = [HEAD]
const MINUTES = 60_000 * 5
const TWO = { faults: 2 }

/** The others, and all kinds of faults: `LINECLEAR_MODEL=deep`. */
describe('two invocations and two faults', () => {
  it(
    'lastAttempt keeps all promises in every schedule',
    async () => {
      const report = await exploreWell(scenarios.lastAttempt, { ...TWO, limit: 20_000 })
      rows.push(rowOf(scenarios.lastAttempt, report))
      expect(traceOf(report)).toBe('')
      expect(report.whole).toBe(true)
    },
    MINUTES,
  )

  it.each([
    ['verify', bound(0, 1_200, 4_000), bound(0, 5_000, 45_000)],
    ['stop', bound(0, 1_800, 6_000), bound(0, 9_000, 40_000)],
    ['newest', bound(0, 900, 3_000), bound(0, 3_000, 20_000)],
  ] as const)(
    '%s keeps all promises in the first ones, of which %i are run',
    async (name, limit, least) => {
      const report = await exploreWell(scenarios[name], { ...TWO, limit })
      rows.push(rowOf(scenarios[name], report))
      expect(traceOf(report)).toBe('')
      expect(report.covered).toBeGreaterThan(least)
    },
    MINUTES,
  )

  afterAll(() => print(tableOf(rows)))
})
