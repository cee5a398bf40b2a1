import { afterAll, describe, expect, it } from 'vitest'
import { protections } from './protections/index.ts'
import { exploreWithout, print, showsTraces, tableOf, traceOf } from './report.ts'

const rows: string[][] = [['without the protection', 'what breaks', 'schedules']]

/** A check that cannot fail proves nothing: without one of its parts the protocol must break. `survivors.proof.test.ts` has the rest. */
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

  afterAll(() => print(tableOf(rows)))
})
