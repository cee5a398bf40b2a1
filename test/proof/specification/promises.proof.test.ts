import { describe, expect, it } from 'vitest'
import { CHECKS, PROMISES, REMOVALS } from './checks.ts'
import { textOfModule } from './moduleOf.ts'
import { explore } from './tla/explore.ts'
import { parseModule } from './tla/parse.ts'
import { groupOf } from './tla/values.ts'

const MOST = 500_000
const MODULES = {
  Token: parseModule(textOfModule('Token')),
  Stage: parseModule(textOfModule('Stage')),
}

describe('every state keeps the promises', () => {
  it.each(CHECKS)('$module: $what', ({ module, constants, states }) => {
    const promises = PROMISES[module]
    expect(explore(MODULES[module], { constants, promises, most: MOST })).toEqual({ states })
  })
})

describe('without one protection a promise breaks', () => {
  it.each(REMOVALS)('$module: $off', ({ module, off, constants, breaks }) => {
    const { broken } = explore(MODULES[module], {
      constants: { ...constants, Off: groupOf([off]) },
      promises: PROMISES[module],
      most: MOST,
    })
    expect(broken?.promise).toBe(breaks)
  })
})
