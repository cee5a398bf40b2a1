import type { Stats } from '../answers.ts'

interface OpenCounts {
  /** Those that occur, the worst first. */
  readonly statuses: readonly string[]
  readonly owners: readonly { readonly of: string; readonly numbers: ReadonlyMap<string, number> }[]
}

/** In the order of listings. */
export const STATUSES: readonly string[] = [
  'unknown',
  'error',
  'dead',
  'inProgress',
  'dying',
  'running',
  'awaiting',
  'accepted',
  'later',
]

/** Counts as a table: owners by name, and a column for each status that occurs. */
export function openNow(counts: Stats['counts']): OpenCounts {
  const owners = new Map<string, Map<string, number>>()
  for (const { of, status, number } of counts) {
    const numbers = owners.get(of) ?? new Map<string, number>()
    owners.set(of, numbers.set(status, number))
  }
  return {
    statuses: STATUSES.filter((each) => counts.some(({ status }) => status === each)),
    owners: [...owners]
      .map(([of, numbers]) => ({ of, numbers }))
      .toSorted((one, other) => (one.of < other.of ? -1 : 1)),
  }
}
