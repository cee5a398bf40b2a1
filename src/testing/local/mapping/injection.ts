import { checkFaults, type Faults } from '../faults/faults.ts'
import { newStrikes, type Strikes } from '../faults/strikes.ts'

/** The faults of a mapping, which can change while it runs. */
export interface Injection {
  now(): Injected
  /** @throws ConfigError as at the start */
  set(faults: Faults): void
  readonly strikes: Strikes
}

/** What an invocation takes with it when it begins, and keeps. */
export interface Injected {
  readonly faults: Faults
  /** When the faults were set, by `performance.now()`. */
  readonly began: number
}

export function injection(faults: Faults): Injection {
  checkFaults(faults)
  let injected: Injected = { faults, began: performance.now() }
  return {
    now: () => injected,
    set: (next) => {
      checkFaults(next)
      injected = { faults: next, began: performance.now() }
    },
    strikes: newStrikes(),
  }
}
