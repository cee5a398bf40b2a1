import { afterAll, describe, expect, it } from 'vitest'
import { explore } from '../explore.ts'
import { exploreWell, HEAD, needsAll, print, rowOf, tableOf, traceOf } from '../report.ts'
import { endingProtections } from './protections.ts'
import { endingScenarios, type EndingScenarioName } from './scenarios.ts'

const rows: string[][] = [HEAD]
const MINUTES = 60_000 * 30

describe('what follows a death, in every schedule', () => {
  it.each(Object.keys(endingScenarios) as EndingScenarioName[])(
    '%s keeps all promises',
    async (name) => {
      const report = await exploreWell(endingScenarios[name])
      rows.push(rowOf(endingScenarios[name], report))
      expect(traceOf(report)).toBe('')
      expect(report.whole || !needsAll).toBe(true)
    },
    MINUTES,
  )

  afterAll(() => print(tableOf(rows)))
})

describe('each protection of what follows a death is needed', () => {
  it.each(endingProtections)('$name', async ({ scenarios, removal }) => {
    const budget = { faults: 1, deliveries: 3, limit: 20_000 }
    let violation: string | undefined
    for (const scenario of scenarios) {
      violation ??= (await explore(endingScenarios[scenario], budget, removal)).violation
    }
    expect(violation).toBeDefined()
  })
})
