import { afterAll, describe, expect, it } from 'vitest'
import { exploreWell, HEAD, isDeep, print, rowOf, tableOf, traceOf } from '../report.ts'
import { undoScenarios, type UndoScenarioName } from './scenarios.ts'

const rows: string[][] = [HEAD]
const MINUTES = 60_000 * 30

describe('the undo of single records, in every schedule', () => {
  const names = Object.keys(undoScenarios) as UndoScenarioName[]

  it.each(names)(
    '%s keeps all promises',
    async (name) => {
      const report = await exploreWell(undoScenarios[name])
      rows.push(rowOf(undoScenarios[name], report))
      expect(traceOf(report)).toBe('')
      expect(report.whole || isDeep).toBe(true)
    },
    MINUTES,
  )

  afterAll(() => print(tableOf(rows)))
})
