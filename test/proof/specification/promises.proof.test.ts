import { describe, expect, it } from 'vitest'
import { CHECKS, type Check, PROMISES } from './checks.ts'
import { Conform } from './conform.ts'
import { textOfModule } from './moduleOf.ts'
import { explore } from './tla/explore.ts'
import { parseModule } from './tla/parse.ts'

const MOST = 500_000
const MODULES = {
  Token: parseModule(textOfModule('Token')),
  Stage: parseModule(textOfModule('Stage')),
}

/** Of a flow, the models over the shipped functions say it (test/proof/model/stage). */
function conformOf({ told }: Check): Conform | undefined {
  return told === undefined ? undefined : new Conform(told)
}

describe('every state keeps the promises, and the code says what the module says', () => {
  it.each(CHECKS)('$module: $what', (check) => {
    const { module, constants, states } = check
    const conform = conformOf(check)
    const bounds = { constants, promises: PROMISES[module], most: MOST, visit: conform?.visit }
    expect(explore(MODULES[module], bounds)).toEqual({ states })
    expect(conform?.differences.slice(0, 3) ?? []).toEqual([])
  })
})
