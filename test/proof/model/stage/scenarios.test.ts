import { afterAll, describe, expect, it } from 'vitest'
import { sampled } from '../../depth.ts'
import { print, tableOf, traceOf } from '../report.ts'
import { exploreWell, isDeep, rowOf, SCENARIO_HEAD } from './findings.ts'
import { SCENARIOS } from './scenarios.ts'

const rows = [SCENARIO_HEAD]
const HOURS = 3_600_000 * 3

describe(`stage records, ${isDeep ? 'every state up to the bounds' : 'the nearest states'}`, () => {
  it.each(sampled(SCENARIOS, 3))(
    '$name',
    (scenario) => {
      const start = performance.now()
      const report = exploreWell(scenario)
      rows.push(rowOf(scenario, report, performance.now() - start))
      expect(traceOf(report)).toBe('')
    },
    HOURS,
  )

  afterAll(() => print(tableOf(rows)))
})
