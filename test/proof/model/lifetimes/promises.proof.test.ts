import { afterAll, describe, expect, it } from 'vitest'
import { explore } from '../explore.ts'
import { exploreWell, HEAD, needsAll, print, rowOf, tableOf, traceOf } from '../report.ts'
import { lifetimeProtections } from './protections.ts'
import { type LifetimeScenarioName, lifetimeScenarios } from './scenarios.ts'

const rows: string[][] = [HEAD]
const MINUTES = 60_000 * 30

describe('days that pass between deliveries, on a table that deletes early or late', () => {
  it.each(Object.keys(lifetimeScenarios) as LifetimeScenarioName[])(
    '%s keeps all promises',
    async (name) => {
      const report = await exploreWell(lifetimeScenarios[name])
      rows.push(rowOf(lifetimeScenarios[name], report))
      expect(traceOf(report)).toBe('')
      expect(report.whole || !needsAll).toBe(true)
    },
    MINUTES,
  )

  afterAll(() => print(tableOf(rows)))
})

describe('each protection of a lifetime is needed', () => {
  const found: string[][] = [['without the protection', 'what breaks', 'schedules']]

  it.each(lifetimeProtections)('$name', async ({ name, scenario, removal, change }) => {
    const whole = lifetimeScenarios[scenario]
    const { light: only = [] } = whole
    const budget = { faults: 1, deliveries: 2, limit: 20_000, only }
    const report = await explore({ ...whole, ...change?.(whole) }, budget, removal)
    found.push([name, report.violation ?? 'NOTHING', String(report.schedules)])
    expect(report.violation).toBeDefined()
  })

  afterAll(() => print(tableOf(found)))
})
