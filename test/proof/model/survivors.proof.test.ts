import { afterAll, describe, expect, it } from 'vitest'
import { protections } from './protections/index.ts'
import { exploreWithout, print, tableOf, traceOf } from './report.ts'

const rows: string[][] = [['without the protection', 'what breaks', 'schedules']]

/** Every schedule is explored, because none of them breaks a promise. */
describe('a protection whose absence breaks nothing says why it stands', () => {
  it.each(protections.filter(({ survives }) => survives !== undefined))(
    '$name',
    async (protection) => {
      const finding = await exploreWithout(protection)
      rows.push([protection.name, `nothing: ${protection.survives}`, String(finding.schedules)])
      expect(traceOf(finding)).toBe('')
    },
  )

  afterAll(() => print(tableOf(rows)))
})
