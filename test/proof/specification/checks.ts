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
  behind: readonly ('last' | 'side')[] = ['last'],
): Bounds['constants'] => ({
  Workers: numbersTo(workers),
  Behind: groupOf(behind),
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
  ofToken('retries', 13_582, 'none', ['good'], [2, 2, 3, 0]),
  ofToken('deaths, redrives', 6_046, 'none', ['good'], [1, 1, 4, 1]),
  ofToken('another payload', 13_447, 'none', ['good', 'other'], [2, 2, 2, 0]),
  ofToken('unreadable', 11_779, 'none', ['good', 'invalid'], [2, 2, 2, 0]),
  ofToken('told', 47_198, 'told', ['good'], [1, 1, 4, 1]),
  ofToken('final', 6_512, 'final', ['good'], [1, 1, 4, 1]),
  ofToken('final and unreadable', 23_985, 'final', ['good', 'invalid'], [1, 1, 3, 1]),
  ofToken('two faults', 7_484, 'none', ['good'], [1, 1, 2, 2]),
  ofToken('final and retried', 46_594, 'final', ['good'], [1, 2, 6, 1]),
  ofToken('late holder', 48_330, 'none', ['good'], [2, 2, 2, 1]),
  ofStage('deaths', 8_205, 'defer', [2, 1, 1, 3, 0]),
  ofStage('redrives', 34_177, 'defer', [1, 1, 1, 5, 1]),
  ofStage('supersede', 30_520, 'supersede', [2, 2, 1, 2, 0]),
  ofStage('drop', 22_537, 'drop', [2, 2, 1, 2, 0]),
  ofStage('defer', 12_858, 'defer', [2, 2, 1, 2, 0]),
  ofStage('coalesce', 20_316, 'coalesce', [2, 2, 1, 2, 0]),
  ofStage('three requests: drop', 4_992, 'drop', [1, 3, 1, 1, 1]),
  ofStage('three requests: coalesce', 4_698, 'coalesce', [1, 3, 1, 1, 1]),
  ofStage('two faults', 13_466, 'defer', [1, 1, 1, 2, 2]),
  ofStage('two behind', 19_782, 'defer', [1, 1, 1, 3, 1], ['last', 'side']),
]

/** Smaller ones: each is searched once for every condition that is left out. */
export const SMALL_CHECKS: readonly Check[] = [
  known('Token', 'deaths, redrives'),
  ofToken('final and unreadable', 6_148, 'final', ['good', 'invalid'], [1, 1, 2, 1]),
  known('Token', 'final'),
  ofToken('told', 9_662, 'told', ['good'], [1, 1, 3, 1]),
  known('Token', 'unreadable'),
  known('Token', 'retries'),
  known('Token', 'another payload'),
  ofStage('drop', 4_613, 'drop', [1, 2, 1, 4, 0]),
  ofStage('defer', 4_372, 'defer', [1, 2, 1, 4, 0]),
  ofStage('coalesce', 4_665, 'coalesce', [1, 2, 1, 4, 0]),
  known('Stage', 'deaths'),
  ofStage('supersede', 11_986, 'supersede', [1, 2, 1, 2, 1]),
  ofStage('redrives', 15_878, 'defer', [1, 1, 1, 4, 1]),
]

/** Each is searched only for the conditions whose absence nothing before has shown, and which nothing else implies. */
export const WIDE_CHECKS: readonly Check[] = [
  known('Token', 'two faults'),
  known('Token', 'final and retried'),
  known('Token', 'late holder'),
  ofStage('two attempts', 622, 'defer', [1, 1, 2, 3, 1]),
  known('Stage', 'three requests: coalesce'),
  ofStage('late holder', 6_065, 'defer', [2, 1, 2, 2, 1]),
  known('Stage', 'two faults'),
  known('Stage', 'two behind'),
  { ...known('Stage', 'drop'), what: 'two workers: drop' },
  known('Stage', 'three requests: drop'),
  { ...known('Stage', 'coalesce'), what: 'two workers: coalesce' },
  ofStage('late start', 66_136, 'supersede', [1, 2, 1, 3, 1]),
  ofStage('two behind: redriven', 107_646, 'defer', [1, 1, 1, 4, 1], ['last', 'side']),
]

/** One of `CHECKS`. */
function known(module: Check['module'], what: string): Check {
  const found = CHECKS.find((check) => check.module === module && check.what === what)
  if (found === undefined) throw new Error(`${module} has no search '${what}'`)
  return found
}

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
    'KnowsItsClaim',
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
    'SomebodyEndsIt',
    'FenceGrows',
    'KnowsItsClaim',
  ],
}

/** What makes a condition decide nothing: TLC checks these with the promises. */
export const REASONS: Readonly<Record<Check['module'], readonly string[]>> = {
  Token: ['RefusedIsMade'],
  Stage: [
    'BehindSettled',
    'OwnerIsOfTheRun',
    'RefusedIsMade',
    'EpochIsOfOneRun',
    'NewestHasTheKey',
    'DeathIsOfTheDead',
    'OnlyCoalesceWaits',
    'FenceKnowsTheMarks',
  ],
}
