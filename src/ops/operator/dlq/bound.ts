import type { IdSet } from './idSet.ts'
import type { Orders, Pace } from './operationRun.ts'

/** How a change of dead letters is bound to the plan that was shown. */
export interface Bound {
  /** Only these message ids. Default: all that are selected. */
  readonly only?: IdSet | undefined
  /** How many of `only` earlier runs have dealt with. Default 0. */
  readonly dealtWith?: number | undefined
  /** In a plan: called with the message id of each dead letter that would be changed. */
  readonly onPlanned?: ((messageId: string) => void) | undefined
  /** Called after each page with the number of dead letters that are dealt with. Anything but `go on` ends the run. */
  readonly onPage?: ((done: number, pace?: Pace) => Promise<Orders>) | undefined
}

/** Those of a plan that a run has not seen. */
export interface Unseen {
  /** Not on the queue any more, or another reader holds them. */
  readonly missing: number
  /** The run has ended before it looked at them: they are on the queue still. */
  readonly untried: number
}

/** Counts the dead letters of a plan that were seen again. */
export function plannedSeen({ only, dealtWith = 0 }: Bound): {
  see(messageIds: readonly string[]): void
  all(): boolean
  /** @param complete whether the run has looked at the whole queue */
  unseen(complete: boolean): Unseen
} {
  let seen = 0
  return {
    see: (messageIds) => void (seen += messageIds.filter((id) => only?.has(id) === true).length),
    all: () => only !== undefined && seen >= only.size,
    unseen: (complete) => {
      const left = Math.max(0, (only?.size ?? 0) - seen - dealtWith)
      return complete ? { missing: left, untried: 0 } : { missing: 0, untried: left }
    },
  }
}
