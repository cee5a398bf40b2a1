import { afterAll, describe, expect, it } from 'vitest'
import { bound, isProof } from '../../depth.ts'
import { print, tableOf } from '../report.ts'
import { DEEP, explore, SCENARIOS } from './explore.ts'
import { SHIPPED, WEAKENED } from './protocol.ts'

const LIMIT = bound(2_500, 40_000, 150_000)
const found = [['delayed messages', 'states', 'result']]
const broken = [['weakened', 'scenario', 'what breaks', 'by']]

describe('what the sweeper decides about delayed messages, in every order', () => {
  it.each(isProof ? [...SCENARIOS, ...DEEP] : SCENARIOS)(
    '$name',
    (scenario) => {
      const report = explore(scenario, SHIPPED, LIMIT)
      found.push([scenario.name, String(report.states), report.cut ? 'cut' : 'complete'])
      expect(report.trace).toEqual([])
      expect(report.violation).toBeUndefined()
    },
    600_000,
  )

  it.each(WEAKENED)('breaks when $name', ({ name, scenario, change }) => {
    const where = SCENARIOS.find((each) => each.name === scenario)
    if (where === undefined) throw new Error(`no scenario ${scenario}`)
    const report = explore(where, { ...SHIPPED, ...change }, 60_000)
    broken.push([name, scenario, report.violation ?? 'NOTHING', report.trace.join('; ')])
    expect(report.violation).toBeDefined()
  })

  afterAll(() => {
    print(tableOf(found))
    print(tableOf(broken))
  })
})
