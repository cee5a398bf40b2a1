import type { Bounds } from './tla/explore.ts'
import { groupOf, type Value } from './tla/values.ts'

/** A search of a module within bounds. */
export interface Check {
  readonly module: 'Token' | 'Stage'
  readonly what: string
  readonly constants: Bounds['constants']
  /** How many states there are: a rule that is added or lost changes it. */
  readonly states: number
}

const BOUNDS = { Workers: groupOf([1, 2]), Off: groupOf([]) }

const token = (
  forms: readonly Value[],
  MaxIds: number,
  MaxFaults: number,
): Bounds['constants'] => ({
  ...BOUNDS,
  Forms: groupOf(forms),
  MaxAttempts: 2,
  MaxIds,
  MaxFaults,
})

const stage = (requests: readonly Value[], OnConflict: string): Bounds['constants'] => ({
  ...BOUNDS,
  Requests: groupOf(requests),
  OnConflict,
  MaxAttempts: 1,
  // One request has room for a death and a redrive.
  MaxIds: requests.length === 1 ? 3 : 2,
  MaxFaults: requests.length === 1 ? 1 : 0,
})

const ONE_TOKEN = token(['good'], 3, 1)
const OTHER_PAYLOAD = token(['good', 'other'], 2, 0)
const UNREADABLE = token(['good', 'invalid'], 2, 0)
const ONE_REQUEST = stage([1], 'defer')
const SUPERSEDE = stage([1, 2], 'supersede')
const DROP = stage([1, 2], 'drop')
const DEFER = stage([1, 2], 'defer')
const COALESCE = stage([1, 2], 'coalesce')

export const CHECKS: readonly Check[] = [
  { module: 'Token', what: 'retries, deaths, redrives', constants: ONE_TOKEN, states: 199_364 },
  { module: 'Token', what: 'another payload', constants: OTHER_PAYLOAD, states: 15_172 },
  { module: 'Token', what: 'a copy without schema', constants: UNREADABLE, states: 11_990 },
  { module: 'Stage', what: 'deaths and redrives', constants: ONE_REQUEST, states: 205_432 },
  { module: 'Stage', what: 'supersede', constants: SUPERSEDE, states: 33_789 },
  { module: 'Stage', what: 'drop', constants: DROP, states: 51_504 },
  { module: 'Stage', what: 'defer', constants: DEFER, states: 12_951 },
  { module: 'Stage', what: 'coalesce', constants: COALESCE, states: 52_267 },
]

/** With a protection off, a promise breaks: else the module would say less than the code does. */
export interface Removal {
  readonly module: Check['module']
  readonly off: string
  readonly constants: Bounds['constants']
  readonly breaks: string
}

export const REMOVALS: readonly Removal[] = [
  { module: 'Token', off: 'fence', constants: ONE_TOKEN, breaks: 'NothingLost' },
  { module: 'Token', off: 'judged', constants: ONE_TOKEN, breaks: 'NeverTwice' },
  { module: 'Token', off: 'mark', constants: ONE_TOKEN, breaks: 'NeverTwice' },
  { module: 'Token', off: 'confirmed', constants: ONE_TOKEN, breaks: 'NothingLost' },
  { module: 'Token', off: 'budget', constants: ONE_TOKEN, breaks: 'WithinBudget' },
  { module: 'Token', off: 'memory', constants: ONE_TOKEN, breaks: 'NothingLost' },
  { module: 'Stage', off: 'fence', constants: ONE_REQUEST, breaks: 'NothingLost' },
  { module: 'Stage', off: 'judged', constants: ONE_REQUEST, breaks: 'NeverTwice' },
  { module: 'Stage', off: 'mark', constants: ONE_REQUEST, breaks: 'NeverTwice' },
  { module: 'Stage', off: 'restored', constants: ONE_REQUEST, breaks: 'NeverTwice' },
  { module: 'Stage', off: 'early reset', constants: ONE_REQUEST, breaks: 'FreeAtTheEnd' },
  { module: 'Stage', off: 'newest', constants: SUPERSEDE, breaks: 'FreeAtTheEnd' },
  { module: 'Stage', off: 'dropped', constants: DROP, breaks: 'DroppedForGood' },
]

export const PROMISES: Readonly<Record<Check['module'], readonly string[]>> = {
  Token: ['NeverTwice', 'NeverLess', 'NothingLost', 'WithinBudget'],
  Stage: ['NeverTwice', 'FreeAtTheEnd', 'DroppedForGood', 'NothingLost'],
}
