import type { IdSet } from './idSet.ts'
import type { Orders } from './operation.ts'

/** How a change of dead letters is bound to the plan that was shown. */
export interface Bound {
  /** Only these message ids. Default: all that are selected. */
  readonly only?: IdSet | undefined
  /** In a plan: called with the message id of each dead letter that would be changed. */
  readonly onPlanned?: ((messageId: string) => void) | undefined
  /** Called after each page with the number of dead letters that are dealt with. Anything but `go on` ends the run. */
  readonly onPage?: ((done: number) => Promise<Orders>) | undefined
}

/** Counts the dead letters of a plan that were seen again. */
export function plannedSeen(only: IdSet | undefined): {
  see(messageIds: readonly string[]): void
  all(): boolean
  /** Number of those that are not on the queue any more, or that another reader holds. */
  missing(): number
} {
  let seen = 0
  return {
    see: (messageIds) => void (seen += messageIds.filter((id) => only?.has(id) === true).length),
    all: () => only !== undefined && seen >= only.size,
    missing: () => (only === undefined ? 0 : Math.max(0, only.size - seen)),
  }
}
