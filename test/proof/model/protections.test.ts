import { afterAll, describe, expect, it } from 'vitest'
import { type Protection, protections } from './protections/index.ts'
import { exploreWithout, print, showsTraces, tableOf, traceOf } from './report.ts'

const rows: string[][] = [['without the protection', 'what breaks', 'schedules']]

/** A check that cannot fail proves nothing: without one of its parts the protocol must break, or it must be said why not. */
describe('each protection is needed', () => {
  it.each(protections.filter(({ survives }) => survives === undefined))(
    '$name',
    async (protection) => {
      const finding = await exploreWithout(protection)
      rows.push([protection.name, finding.violation ?? 'NOTHING', String(finding.schedules)])
      if (showsTraces)
        print(`\nwithout '${protection.name}', ${finding.scenario}: ${traceOf(finding)}`)
      expect(finding.violation).toBeDefined()
      expect(finding.trace).not.toHaveLength(0)
    },
  )

  it.each(protections.filter(({ survives }) => survives !== undefined))(
    '$name: nothing breaks, for the reason given',
    async (protection: Protection) => {
      const finding = await exploreWithout(protection)
      rows.push([protection.name, `nothing: ${protection.survives}`, String(finding.schedules)])
      expect(traceOf(finding)).toBe('')
    },
  )

  afterAll(() => print(tableOf(rows)))
})
