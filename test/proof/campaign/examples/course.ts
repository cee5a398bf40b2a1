import type { SqsHandler } from '../../../../src/batch/recordHandler.ts'
import type { Faults, LocalCloud } from '../../../../src/testing/local/index.ts'

/** The cloud that an example runs in, and the number of its requests. */
export interface Place {
  readonly cloud: LocalCloud
  /** Its ids begin with it: many runs share the tables. */
  readonly mark: string
  readonly count: number
  /** For what is called and not delivered. */
  readonly faults: Faults
}

/** The expected and actual counts. */
export type Tally = Readonly<Record<string, number>>

/** An example, unchanged: what it is sent, which of its Lambdas reads which queue, and the expected result. */
export interface Course {
  readonly handlers: Readonly<Record<string, SqsHandler>>
  send(): Promise<void>
  books(): Promise<{ readonly wanted: Tally; readonly had: Tally }>
}
