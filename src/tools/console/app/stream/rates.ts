/** Counts by name and second, for a short time. */
export interface Rates {
  /** @param at epoch milliseconds */
  add(name: string, at: number, count: number): void
  /** A second, over the last ten seconds. */
  perSecond(name: string, now: number): number
  /** All names together, one number for each of the last `seconds`, oldest first. */
  last(seconds: number, now: number): readonly number[]
  clear(): void
}

const AVERAGED_OVER = 10
const KEPT = 120

export function newRates(): Rates {
  /** By name, then by second. */
  const counts = new Map<string, Map<number, number>>()
  return {
    add(name, at, count) {
      const second = Math.floor(at / 1_000)
      const of = counts.get(name) ?? new Map<number, number>()
      counts.set(name, of)
      of.set(second, (of.get(second) ?? 0) + count)
      for (const old of of.keys()) if (old <= second - KEPT) of.delete(old)
    },
    perSecond(name, now) {
      const second = Math.floor(now / 1_000)
      return sum(counts.get(name), second - AVERAGED_OVER + 1, second) / AVERAGED_OVER
    },
    last(seconds, now) {
      const end = Math.floor(now / 1_000)
      return Array.from({ length: seconds }, (_, index) => {
        const second = end - seconds + 1 + index
        return [...counts.values()].reduce((all, of) => all + (of.get(second) ?? 0), 0)
      })
    },
    clear: () => counts.clear(),
  }
}

function sum(of: ReadonlyMap<number, number> | undefined, from: number, to: number): number {
  let all = 0
  for (const [second, count] of of ?? []) if (second >= from && second <= to) all += count
  return all
}
