import { expect, it } from 'vitest'
import { explore } from '../model/explore.ts'
import { COPIES, type Off, QUICK, type Scenario, SIBLINGS, TERMINAL } from '../model/scenario.ts'

it.each(QUICK.map((scenario) => [scenario.name, scenario] as const))(
  'no promise is broken: %s',
  (_name, scenario) => {
    const { violation, trace } = explore(scenario)
    expect({ violation, trace }).toEqual({ violation: undefined, trace: [] })
  },
)

const FOUND: readonly (readonly [Off, Scenario, string])[] = [
  ['raise before a handler begins', COPIES, 'an attempt before the one that has begun'],
  ['raise after a lost answer', COPIES, 'an attempt before the one that has begun'],
  ['raise in a later stage', SIBLINGS, 'an attempt before the one that has begun'],
  ['raise before a dead letter', TERMINAL, 'after its dead letter'],
  ['lock of the row', COPIES, 'an attempt before the one that has begun'],
  ['mark', COPIES, 'made twice'],
  ['stage in the mark', SIBLINGS, 'ended without one of its effects'],
]

it.each(FOUND)('without "%s" a promise is broken', (off, scenario, violation) => {
  expect(String(explore(scenario, off).violation)).toContain(violation)
})
