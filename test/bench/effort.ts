/** How much a run spends. */
export interface Effort {
  /** Rounds of each comparison, each with every peer in turn. */
  readonly rounds: number
  /** CPU that a peer burns in one round, and ten times as much before the first, microseconds. */
  readonly cpu: number
  /** Largest batch. The rows of larger ones are left out. */
  readonly largest: number
  /** Fresh processes for each start-up figure. */
  readonly starts: number
}

export const FULL: Effort = { rounds: 7, cpu: 150_000, largest: 10_000, starts: 11 }
export const QUICK: Effort = { rounds: 3, cpu: 30_000, largest: 100, starts: 3 }
