import type { Scenario } from './scenario.ts'
import type { State } from './state.ts'

export function startOf({ faults }: Scenario): State {
  return {
    day: 0,
    faults,
    attempts: [],
    token: undefined,
    epoch: 0,
    fence: 0,
    running: undefined,
    held: {},
    settled: [],
    lastCompleted: true,
    row: undefined,
    lock: undefined,
    effects: [],
    letters: 0,
    diedOn: 0,
    letterFence: 0,
    endedOn: 0,
    begun: { epoch: 0, stages: {} },
    redriven: 0,
    violation: undefined,
  }
}
