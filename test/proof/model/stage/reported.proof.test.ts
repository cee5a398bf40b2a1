import { expect, it } from 'vitest'
import { traceOf } from '../report.ts'
import { exploreWithout } from './findings.ts'
import { shipped } from './protocol.ts'
import { randomWalks } from './randomWalks.ts'
import { REPORT_MUTATIONS } from './reportMutations.ts'
import { REPORT_SCENARIOS } from './reportScenarios.ts'

const HOUR = 3_600_000
/** With those of the other scenarios more than 2,000. */
const WALKS = 300

it.each(REPORT_SCENARIOS)(
  `$name: ${WALKS} histories to their end`,
  (scenario) => {
    expect(traceOf(randomWalks(scenario, shipped, { walks: WALKS, seed: 7 }))).toBe('')
  },
  HOUR,
)

it.each(REPORT_MUTATIONS)(
  'without this: $name',
  (mutation) => {
    expect(exploreWithout(mutation).violation?.slice(0, 2)).toBe(mutation.breaks)
  },
  HOUR,
)
