import { expect, it } from 'vitest'
import { explore } from './model/explore.ts'
import { AGE, AGED_FLOW, DEEP, type Off, type Scenario } from './model/scenario.ts'

it.each(DEEP.map((scenario) => [scenario.name, scenario] as const))(
  'no promise is broken: %s',
  (name, scenario) => {
    const { states, violation, trace } = explore(scenario)
    console.log(`SQL, ${name} (${scenario.faults} faults): ${states} states`)
    expect({ violation, trace }).toEqual({ violation: undefined, trace: [] })
  },
)

const FOUND: readonly (readonly [Off, Scenario, string])[] = [
  ['marks kept by a raise', AGE, 'made twice'],
  ['expiry of the fence', AGED_FLOW, 'has the claim is refused'],
  ['siblings of an expired row forgotten', AGED_FLOW, 'has the claim is refused'],
]

it.each(FOUND)('without "%s" a promise is broken', (off, scenario, violation) => {
  const found = explore(scenario, off)
  console.log(`SQL without ${off}: ${found.violation}, after ${found.trace.length} steps`)
  expect(String(found.violation)).toContain(violation)
})
