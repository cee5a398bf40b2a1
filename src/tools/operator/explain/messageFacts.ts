import type { Fate } from './factParts.ts'
import type { ItemFacts } from './itemFacts.ts'

/**
 * An event that is processed once. `accepted`: stored, and not yet on its queue. `queued`: it is. `taken`: by a consumer of its
 * own process.
 */
export interface EventFacts extends ItemFacts {
  readonly kind: 'event'
  readonly status: 'accepted' | 'queued' | 'taken'
  readonly acceptedAt: number | undefined
  readonly queuedAt: number | undefined
  readonly fates: readonly Fate[]
}

/**
 * A delayed message.
 * - `waiting`: it is due later. `due`: the sweeper sends it.
 * - `heldBack`: its run is dead, and it is looked at again later.
 * - `sent`, `void`: nothing is left to do.
 */
export interface DelayedFacts extends ItemFacts {
  readonly kind: 'delayed'
  readonly status: 'waiting' | 'due' | 'heldBack' | 'sent' | 'void'
  /** When it was given to the sweeper. */
  readonly since: number | undefined
  /** When it was sent, or made void. */
  readonly endedAt: number | undefined
  readonly due: number
  /** When the sweeper looks at it. undefined: never again. */
  readonly dueAt: number | undefined
  /** URL or ARN of its queue. */
  readonly queue: string
  /** Consumer or stage that has sent it. */
  readonly by: string
  readonly request: string
  /** `flow/KEY` of the run that has sent it. */
  readonly run: string | undefined
}
