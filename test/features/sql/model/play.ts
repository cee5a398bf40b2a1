import type { Off, Scenario } from './scenario.ts'
import type { Attempt, State } from './state.ts'

export interface Move {
  readonly words: string
  readonly state: State
}

export interface Play {
  readonly state: State
  readonly scenario: Scenario
  readonly off: Off | undefined
}

export function change(now: State, index: number, by: Partial<Attempt>): State {
  return {
    ...now,
    attempts: now.attempts.map((each, at) => (at === index ? { ...each, ...by } : each)),
  }
}
