import { describe, expect, it } from 'vitest'
import { isWhole } from '../depth.ts'
import { CHECKS, type Check, PROMISES, REASONS } from './checks.ts'
import { Conform } from './conform.ts'
import { ConformStage } from './conformStage.ts'
import { treeOf } from './moduleOf.ts'
import { explore } from './tla/explore.ts'

const MOST = 500_000
/** TLC searches the others in every run; what the code says to their states is compared each night. */
const COMPARED = CHECKS.filter(({ states }) => isWhole || states < 15_000)
const MODULES = { Token: treeOf('Token'), Stage: treeOf('Stage') }

/** How the code writes a stage record, other models say (test/proof/model/stage). */
function conformOf(check: Check): Conform | ConformStage {
  return check.module === 'Token' ? new Conform(check.told) : new ConformStage(check.told)
}

describe('every state keeps the promises, and the code says what the module says', () => {
  it.each(COMPARED)('$module: $what', (check) => {
    const { module, constants, states } = check
    const conform = conformOf(check)
    const promises = [...PROMISES[module], ...REASONS[module]]
    const bounds = { constants, promises, most: MOST, visit: conform.visit }
    expect(explore(MODULES[module], bounds)).toEqual({ states })
    expect(conform.differences.slice(0, 3)).toEqual([])
  })
})
