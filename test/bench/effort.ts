import type { Shape } from './events.ts'

/** How much a run spends. */
export interface Effort {
  /** Rounds of each comparison, each with every peer in turn. */
  readonly rounds: number
  /** CPU that a peer burns in one round, and ten times as much before the first, microseconds. */
  readonly cpu: number
  /** Peers whose CPU is measured. */
  readonly shapes: readonly Shape[]
  /** Largest batch. The rows of larger ones are left out. */
  readonly largest: number
  /** Fresh processes for each start-up figure. */
  readonly starts: number
}

export const FULL: Effort = {
  rounds: 5,
  cpu: 100_000,
  shapes: ['unique', 'replayed', 'half'],
  largest: 10_000,
  starts: 9,
}

export const QUICK: Effort = {
  rounds: 3,
  cpu: 20_000,
  shapes: ['unique', 'replayed'],
  largest: 100,
  starts: 3,
}
