import { ulid } from 'ulid'
import type { SqsHandler } from '../../../../src/library/entries/consumer/recordHandler.ts'
import type {
  SweepOptions,
  SweepReport,
} from '../../../../src/library/entries/sweeper/sweepHandler.ts'
import type { Faults, LocalCloud } from '../../../../src/testing/local/index.ts'

/** The cloud that an example runs in, and the number of its requests. */
export interface Place {
  readonly cloud: LocalCloud
  /** Its ids begin with it: many runs share the tables. */
  readonly mark: string
  readonly count: number
  /** For what is called and not delivered. */
  readonly faults: Faults
  /**
   * A file of the examples: as it stands, or with two versions in turn, call by call.
   * @param path below `examples`
   */
  readonly example: <Exports extends object>(
    path: string,
    present: Promise<Exports>,
  ) => Promise<Exports>
  /** A sweeper, also of these versions in turn. */
  sweeper(options: Omit<SweepOptions, 'store' | 'sqs' | 'logger'>): () => Promise<SweepReport>
}

/** The expected and actual counts. */
export type Tally = Readonly<Record<string, number>>

/** An example, unchanged: what it is sent, which of its Lambdas reads which queue, and the expected result. */
export interface Course {
  readonly handlers: Readonly<Record<string, SqsHandler>>
  send(): Promise<void>
  books(): Promise<{ readonly wanted: Tally; readonly had: Tally }>
}

/** A start whose answer is lost is sent again under the same identity: every producer has to. */
export async function started(
  start: (as: { readonly uniqueRequestId: string; readonly sentAt: number }) => Promise<unknown>,
  uniqueRequestId: string = ulid(),
): Promise<void> {
  const sentAt = Date.now()
  for (let isSent = false; !isSent;) {
    isSent = await start({ uniqueRequestId, sentAt }).then(
      () => true,
      (error: unknown) => {
        if (isSentPerhaps(error)) return false
        throw error
      },
    )
  }
}

/** By name: each of two versions has a class of its own. */
function isSentPerhaps(error: unknown): boolean {
  return (
    error instanceof Error &&
    error.name === 'SendFailedError' &&
    !('permanent' in error && error.permanent === true)
  )
}
