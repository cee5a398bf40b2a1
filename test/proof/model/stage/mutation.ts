import type { Removal } from './removals.ts'
import type { Scenario } from './scenario.ts'

export interface Mutation {
  readonly name: string
  readonly removal: Removal
  /** The name of the scenario that shows it. */
  readonly scenario: string
  readonly change?: Partial<Scenario>
  /** The check that has to break; undefined: none does, and why. */
  readonly breaks: string | undefined
  readonly because?: string
  /** Takes seconds: for `npm run proof`. */
  readonly long?: true
  /** Takes many seconds: for deep runs. */
  readonly slow?: true
}
