import { afterAll, describe, expect, it } from 'vitest'
import { exploreWell, HEAD, isDeep, needsAll, print, rowOf, tableOf, traceOf } from './report.ts'
import { onItsWay, type ScenarioName, scenarios } from './scenarios.ts'

const FAULTS = isDeep ? 2 : 1
const rows: string[][] = [HEAD]
const MINUTES = 60_000 * 30

describe(`schedules of two invocations and ${FAULTS} fault${FAULTS > 1 ? 's' : ''}`, () => {
  const names = Object.keys(scenarios) as ScenarioName[]

  it.each(names)(
    '%s keeps all promises',
    async (name) => {
      const report = await exploreWell(scenarios[name])
      rows.push(rowOf(scenarios[name], report))
      expect(traceOf(report)).toBe('')
      expect(report.whole || !needsAll).toBe(true)
    },
    MINUTES,
  )

  afterAll(() => print(tableOf(rows)))
})

describe('what is not promised', () => {
  it('verify: a call that still is on its way is made a second time', async () => {
    const report = await exploreWell(onItsWay)
    expect(report.violation).toBe('the service was called 2 times')
  })
})
