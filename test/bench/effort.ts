import type { Shape } from './events.ts'

/** How much a run spends. Numbers of batches are those of every peer, so that none is measured colder than another. */
export interface Effort {
  /** Rounds of each comparison, each with every peer in turn. */
  readonly rounds: number
  /** Batches of 1, 10 and 100 before the first round, for each shape. V8 compiles until a process has handled some 20,000 records. */
  readonly warmUp: Batches
  /**
   * Batches of one round. While the other peers have their turn V8 collects, and shrinks its young generation: in a short round that
   * would weigh ten times as much for a peer that needs a tenth of the CPU.
   */
  readonly batches: Batches
  /** Fresh processes for each figure of start-up. */
  readonly starts: number
  /** Fresh processes for each figure of memory. */
  readonly samples: number
  /** Flows for each number of keys. */
  readonly flows: number
}

export interface Batches {
  readonly 1: number
  readonly 10: number
  readonly 100: number
  readonly 1_000: number
  readonly 10_000: number
}

export type Size = keyof Batches

/** Which records are repeated: all that are compared. */
export const SHAPES: readonly Shape[] = ['unique', 'replayed', 'half']

/** The sizes of batches that are compared: a single record is not half replayed. */
export function sizesOf(shape: Shape): readonly (1 | 10 | 100)[] {
  return shape === 'half' ? [10, 100] : [1, 10, 100]
}

export const FULL: Effort = {
  rounds: 5,
  warmUp: { 1: 200, 10: 100, 100: 200, 1_000: 0, 10_000: 0 },
  batches: { 1: 200, 10: 100, 100: 40, 1_000: 4, 10_000: 1 },
  starts: 11,
  samples: 5,
  flows: 1_000,
}

export const QUICK: Effort = {
  rounds: 3,
  warmUp: { 1: 60, 10: 30, 100: 5, 1_000: 0, 10_000: 0 },
  batches: { 1: 60, 10: 20, 100: 4, 1_000: 1, 10_000: 1 },
  starts: 3,
  // V8's young generation doubles or does not: one process says nothing.
  samples: 3,
  flows: 100,
}
