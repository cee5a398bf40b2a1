import type { Removal } from '../model.ts'
import type { ScenarioName } from '../scenarios.ts'
import type { CrashFault } from '../../../../src/testing/crashes/simulation/crashFaults.ts'

/** One protection, and the scenarios that need it. */
export interface Protection {
  readonly name: string
  readonly removal: Removal
  readonly scenarios: readonly ScenarioName[]
  readonly faults?: number
  readonly only?: readonly CrashFault[]
  readonly deliveries?: number
  /** Why no promise breaks without it, if none does. */
  readonly survives?: string
}
