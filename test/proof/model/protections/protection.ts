import type { Removal } from '../model.ts'
import type { ScenarioName } from '../scenarios.ts'
import type { CrashFault } from '../../../../src/testing/crashes/simulation/crashFaults.ts'

/** One part of what keeps the promises, and the schedules that need it. */
export interface Protection {
  readonly name: string
  readonly removal: Removal
  readonly scenarios: readonly ScenarioName[]
  readonly faults?: number
  readonly only?: readonly CrashFault[]
  readonly deliveries?: number
  /** Why no promise is broken without it, when none is. */
  readonly survives?: string
}
