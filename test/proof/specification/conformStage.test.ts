import { describe, expect, it } from 'vitest'
import { stage } from './checks.ts'
import { ConformStage } from './conformStage.ts'
import { treeOf } from './moduleOf.ts'
import { explore } from './tla/explore.ts'

const STAGE = treeOf('Stage')

type Bounds = Parameters<typeof stage>[1]

const MEETING: Bounds = [1, 2, 1, 3, 0]
const ATTEMPTS: Bounds = [1, 1, 2, 3, 1]
const AT_ONCE: Bounds = [1, 1, 1, 3, 0]

/** The searches of promises.proof.test.ts compare further ones; its writes have other models (test/proof/model/stage). */
describe('a decision of the module is that of the code', () => {
  it.each([
    ['two requests', 'defer', MEETING, ['begin', 'busy', 'over', 'reopen', 'start']],
    ['two requests', 'drop', MEETING, ['begin', 'drop', 'over', 'reopen', 'start']],
    ['two requests', 'coalesce', MEETING, ['begin', 'busy', 'over', 'reopen', 'start', 'wait']],
    ['two requests', 'supersede', MEETING, ['begin', 'over', 'reopen', 'start']],
    [
      'two attempts',
      'defer',
      ATTEMPTS,
      ['abandonedMessage', 'begin', 'busy', 'held', 'mine', 'over', 'reopen', 'start', 'takeOver'],
    ],
    ['two stages at once', 'defer', AT_ONCE, ['begin', 'reopen', 'revive', 'start']],
  ] as const)('%s, %s', (what, OnConflict, bounds, verdicts) => {
    const [, , MaxAttempts] = bounds
    const conform = new ConformStage({ OnConflict, MaxAttempts })
    const behind = what === 'two stages at once' ? (['last', 'side'] as const) : undefined
    const constants = stage(OnConflict, bounds, behind)
    explore(STAGE, { constants, promises: [], most: 50_000, visit: conform.visit })
    expect(conform.differences.slice(0, 3)).toEqual([])
    expect([...conform.compared.keys()].toSorted()).toEqual(verdicts)
  })
})
