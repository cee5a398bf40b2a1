import { afterAll, describe, expect, it } from 'vitest'
import { explore } from '../explore.ts'
import { exploreWell, HEAD, needsAll, print, rowOf, tableOf, traceOf } from '../report.ts'
import { returnedProtections } from './protections.ts'
import { returnedScenarios, type ReturnedScenarioName } from './scenarios.ts'

const rows: string[][] = [HEAD]
const MINUTES = 60_000 * 30

describe('writes that are returned, in every schedule', () => {
  it.each(Object.keys(returnedScenarios) as ReturnedScenarioName[])(
    '%s keeps all promises',
    async (name) => {
      const report = await exploreWell(returnedScenarios[name])
      rows.push(rowOf(returnedScenarios[name], report))
      expect(traceOf(report)).toBe('')
      expect(report.whole || !needsAll).toBe(true)
    },
    MINUTES,
  )

  afterAll(() => print(tableOf(rows)))
})

describe('each protection of returned writes is needed', () => {
  it.each(returnedProtections)('$name', async ({ scenario, removal }) => {
    const budget = { faults: 1, deliveries: 3, limit: 20_000 }
    const { violation } = await explore(returnedScenarios[scenario], budget, removal)
    expect(violation).toBeDefined()
  })
})
