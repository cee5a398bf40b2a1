import { randomAt } from '../../../src/testing/local/faults/random.ts'

/** Decisions in the order in which they are asked for, the same for one seed. */
export interface Chance {
  /** A number in [0, limit). */
  below(limit: number): number
  integer(limit: number): number
  of<T>(among: readonly T[]): T
}

export function openChance(seed: number): Chance {
  let drawn = 0
  const below = (limit: number): number => randomAt(seed, 'history', (drawn += 1)) * limit
  const integer = (limit: number): number => Math.floor(below(limit))
  return {
    below,
    integer,
    of: (among) => {
      const one = among[integer(among.length)]
      if (one === undefined) throw new Error('nothing to choose from')
      return one
    },
  }
}
