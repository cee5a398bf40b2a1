/** Choices by a seed, the same in every run. */
export interface Chance {
  is(probability: number): boolean
  of<Each>(all: readonly Each[]): Each
  /** At least `least` of them, each once, in their order. */
  some<Each>(all: readonly Each[], least: number, most?: number): readonly Each[]
}

export function chanceOf(seed: number): Chance {
  const next = randomOf(seed)
  const below = (end: number): number => Math.floor(next() * end)
  return {
    is: (probability) => next() < probability,
    of: <Each>(all: readonly Each[]) => all[below(all.length)] as Each,
    some(all, least, most = all.length) {
      const left = [...new Set(all)]
      const number = least + below(Math.min(most, left.length) - least + 1)
      while (left.length > number) left.splice(below(left.length), 1)
      return left
    },
  }
}

/** mulberry32 */
function randomOf(seed: number): () => number {
  let state = seed
  return () => {
    state = (state + 0x6d_2b_79_f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296
  }
}
