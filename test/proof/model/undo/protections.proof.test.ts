import { afterAll, describe, expect, it } from 'vitest'
import { sampled } from '../../depth.ts'
import { explore, type Report } from '../explore.ts'
import { print, tableOf, traceOf } from '../report.ts'
import { type UndoProtection, undoProtections } from './protections.ts'
import { undoScenarios } from './scenarios.ts'

const rows: string[][] = [['undo of records without the protection', 'what breaks', 'schedules']]

async function exploreWithout(protection: UndoProtection): Promise<Report> {
  const { name, scenario, removal, only, deliveries = 3, survives } = protection
  const limit = survives === undefined ? 20_000 : 200
  const budget = { faults: only.length === 0 ? 0 : 1, deliveries, limit, only }
  const report = await explore(undoScenarios[scenario], budget, removal)
  const why = survives === undefined ? 'NOTHING' : `nothing: ${survives}`
  rows.push([name, report.violation ?? why, String(report.schedules)])
  return report
}

describe('each protection of an undo is needed', () => {
  it.each(
    sampled(
      undoProtections.filter(({ survives }) => survives === undefined),
      2,
    ),
  )('$name', async (protection) => {
    expect((await exploreWithout(protection)).violation).toBeDefined()
  })

  it.each(undoProtections.filter(({ survives }) => survives !== undefined))(
    '$name: nothing breaks, for the reason given',
    async (protection) => {
      expect(traceOf(await exploreWithout(protection))).toBe('')
    },
  )

  afterAll(() => print(tableOf(rows)))
})
