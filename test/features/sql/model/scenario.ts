/** What is played, within which bounds. */
export interface Scenario {
  readonly name: string
  readonly kind: 'token' | 'flow'
  /** Stages that have an effect in SQL. Those that have none still run. */
  readonly stages: readonly string[]
  readonly withSql: readonly string[]
  /** Requests of one key; a later one supersedes. */
  readonly requests: number
  /** Attempts of a stage of the first request; later requests have one. */
  readonly attempts: number
  readonly faults: number
  /** The handler may fail for good, at any time. */
  readonly terminal?: true
  /** Days pass: retention in days, and how many of them are played. */
  readonly days?: { readonly retention: number; readonly last: number }
}

/** A protection that is taken away. */
export type Off =
  | 'raise before a handler begins'
  | 'raise after a lost answer'
  | 'raise in a later stage'
  | 'raise before a dead letter'
  | 'lock of the row'
  | 'mark'
  | 'stage in the mark'
  | 'marks kept by a raise'
  | 'expiry of the fence'
  | 'siblings of an expired row forgotten'

const LIMITS = { requests: 1, attempts: 3, faults: 2 } as const

export const COPIES: Scenario = {
  ...LIMITS,
  name: 'one request, copies alive',
  kind: 'token',
  stages: [''],
  withSql: [''],
  attempts: 3,
}
export const TERMINAL: Scenario = {
  ...COPIES,
  name: 'terminal after a lost COMMIT, redrive',
  terminal: true,
}
export const SUPERSEDED: Scenario = {
  ...LIMITS,
  name: 'a newer request supersedes',
  kind: 'flow',
  stages: ['book'],
  withSql: ['book'],
  requests: 2,
  attempts: 2,
}
export const SIBLINGS: Scenario = {
  ...LIMITS,
  name: 'two stages, SQL in both',
  kind: 'flow',
  stages: ['book', 'pay'],
  withSql: ['book', 'pay'],
  attempts: 2,
  faults: 1,
}
export const SECOND_ONLY: Scenario = {
  ...SIBLINGS,
  name: 'two requests of two stages, SQL in the second only',
  withSql: ['pay'],
  requests: 2,
  attempts: 1,
}
export const AGE: Scenario = {
  ...COPIES,
  name: 'clean-up against retention and redrive, in days',
  attempts: 3,
  faults: 1,
  terminal: true,
  days: { retention: 2, last: 5 },
}
export const AGED_FLOW: Scenario = {
  ...SIBLINGS,
  name: 'a key that is used again after its retention',
  faults: 0,
  requests: 2,
  days: { retention: 2, last: 3 },
}

/** A second or less in all. */
export const QUICK: readonly Scenario[] = [COPIES, SIBLINGS, SECOND_ONLY]

export const DEEP: readonly Scenario[] = [
  { ...COPIES, faults: 3 },
  { ...TERMINAL, faults: 3 },
  SUPERSEDED,
  { ...SIBLINGS, faults: 2 },
  { ...SECOND_ONLY, faults: 2 },
  AGE,
  AGED_FLOW,
]
