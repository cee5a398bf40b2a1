import type { ToldStage } from './stage.ts'
import type { Bounds } from './tla/explore.ts'
import { groupOf, type Value } from './tla/values.ts'
import type { Told } from './token.ts'

/** A search of a module within bounds. `told`: what a decision of the code is told of. */
export type Check = Search &
  (
    | { readonly module: 'Token'; readonly told: Told }
    | { readonly module: 'Stage'; readonly told: ToldStage }
  )

interface Search {
  readonly what: string
  readonly constants: Bounds['constants']
  /** How many states there are: a rule that is added or lost changes it. */
  readonly states: number
}

export const token = (
  OnFailure: 'none' | 'told' | 'final',
  forms: readonly Value[],
  [workers, MaxAttempts, MaxIds, MaxFaults]: readonly [number, number, number, number],
): Bounds['constants'] => ({
  Workers: numbersTo(workers),
  OnFailure,
  Forms: groupOf(forms),
  MaxAttempts,
  MaxIds,
  MaxFaults,
})

function numbersTo(most: number): Value {
  return groupOf(Array.from({ length: most }, (_, nth) => nth + 1))
}

export const stage = (
  OnConflict: ToldStage['OnConflict'],
  [workers, requests, MaxAttempts, MaxIds, MaxFaults]: readonly [
    number,
    number,
    number,
    number,
    number,
  ],
): Bounds['constants'] => ({
  Workers: numbersTo(workers),
  Requests: numbersTo(requests),
  OnConflict,
  Reports: true,
  MaxAttempts,
  MaxIds,
  MaxFaults,
})

type TokenBounds = Parameters<typeof token>

function ofToken(what: string, states: number, ...bounds: TokenBounds): Check {
  const [OnFailure, , [, MaxAttempts]] = bounds
  const told = { OnFailure, MaxAttempts }
  return { module: 'Token', what, constants: token(...bounds), told, states }
}

function ofStage(what: string, states: number, ...bounds: Parameters<typeof stage>): Check {
  const [OnConflict, [, , MaxAttempts]] = bounds
  const told = { OnConflict, MaxAttempts }
  return { module: 'Stage', what, constants: stage(...bounds), told, states }
}

export const CHECKS: readonly Check[] = [
  ofToken('retries', 13_439, 'none', ['good'], [2, 2, 3, 0]),
  ofToken('deaths, redrives', 5_956, 'none', ['good'], [1, 1, 4, 1]),
  ofToken('another payload', 13_447, 'none', ['good', 'other'], [2, 2, 2, 0]),
  ofToken('unreadable', 11_758, 'none', ['good', 'invalid'], [2, 2, 2, 0]),
  ofToken('told', 46_937, 'told', ['good'], [1, 1, 4, 1]),
  ofToken('final', 6_509, 'final', ['good'], [1, 1, 4, 1]),
  ofToken('final and unreadable', 23_982, 'final', ['good', 'invalid'], [1, 1, 3, 1]),
  ofStage('deaths', 8_205, 'defer', [2, 1, 1, 3, 0]),
  ofStage('redrives', 34_177, 'defer', [1, 1, 1, 5, 1]),
  ofStage('supersede', 30_520, 'supersede', [2, 2, 1, 2, 0]),
  ofStage('drop', 47_037, 'drop', [2, 2, 1, 2, 0]),
  ofStage('defer', 12_858, 'defer', [2, 2, 1, 2, 0]),
  ofStage('coalesce', 45_028, 'coalesce', [2, 2, 1, 2, 0]),
]

/** Smaller ones: each is searched once for every condition that is left out. */
export const SMALL_CHECKS: readonly Check[] = [
  ofToken('deaths, redrives', 5_956, 'none', ['good'], [1, 1, 4, 1]),
  ofToken('final and unreadable', 6_145, 'final', ['good', 'invalid'], [1, 1, 2, 1]),
  ofToken('final', 6_509, 'final', ['good'], [1, 1, 4, 1]),
  ofToken('told', 9_617, 'told', ['good'], [1, 1, 3, 1]),
  ofToken('unreadable', 11_758, 'none', ['good', 'invalid'], [2, 2, 2, 0]),
  ofToken('retries', 13_439, 'none', ['good'], [2, 2, 3, 0]),
  ofToken('another payload', 13_447, 'none', ['good', 'other'], [2, 2, 2, 0]),
  ofStage('drop', 4_613, 'drop', [1, 2, 1, 4, 0]),
  ofStage('defer', 4_372, 'defer', [1, 2, 1, 4, 0]),
  ofStage('coalesce', 4_665, 'coalesce', [1, 2, 1, 4, 0]),
  ofStage('deaths', 8_205, 'defer', [2, 1, 1, 3, 0]),
  ofStage('supersede', 11_986, 'supersede', [1, 2, 1, 2, 1]),
  ofStage('redrives', 15_878, 'defer', [1, 1, 1, 4, 1]),
]

export const PROMISES: Readonly<Record<Check['module'], readonly string[]>> = {
  Token: [
    'NeverTwice',
    'NeverLess',
    'NothingLost',
    'WithinBudget',
    'LateWritesNothing',
    'Exclusive',
    'InTime',
    'ToldOnce',
    'FinalForGood',
    'OnePayload',
    'OwnDeath',
  ],
  Stage: [
    'NeverTwice',
    'FreeAtTheEnd',
    'DroppedForGood',
    'NothingLost',
    'LateWritesNothing',
    'Exclusive',
    'InOrder',
    'AllTold',
    'OwnDeath',
  ],
}
