import type { SqsHandler } from '../../../../src/batch/recordHandler.ts'
import type { Faults, LocalCloud } from '../../../../src/testing/local/index.ts'

/** Where an example runs, and how much of it. */
export interface Place {
  readonly cloud: LocalCloud
  /** Its ids begin with it: many runs share the tables. */
  readonly mark: string
  readonly count: number
  /** For what is called and not delivered. */
  readonly faults: Faults
}

/** How often each thing is in the books. */
export type Tally = Readonly<Record<string, number>>

/** An example, as it stands: what it is sent, which of its Lambdas reads which queue, and what must have come of it. */
export interface Course {
  readonly handlers: Readonly<Record<string, SqsHandler>>
  send(): Promise<void>
  books(): Promise<{ readonly wanted: Tally; readonly had: Tally }>
}
