import { type DeadLetter, knownId } from './deadLetter.ts'

/** A group of dead letters that a plan has seen. */
export interface SeenGroup {
  readonly group: string
  readonly origin: string
  readonly reason: string
  /** The error text without ids, addresses and numbers. */
  readonly error: string
  /** On the queue. */
  readonly count: number
  /** Of these, the plan changes so many. */
  readonly planned: number
  /** The first ones that it changes: the id of the run, or `uniquerequestid`. */
  readonly ids: readonly string[]
}

const MOST_GROUPS = 50
const MOST_IDS = 10

/** Collects what a plan shows: with 100,000 dead letters no more than the first groups, and their first ids. */
export function collectGroups(): {
  see(deadLetters: readonly DeadLetter[], planned: ReadonlySet<DeadLetter>): void
  groups(): readonly SeenGroup[]
} {
  const groups = new Map<string, SeenGroup>()
  return {
    see(deadLetters, planned) {
      for (const deadLetter of deadLetters) {
        const { group } = deadLetter
        if (!groups.has(group) && groups.size >= MOST_GROUPS) continue
        groups.set(group, addTo(groups.get(group), deadLetter, planned.has(deadLetter)))
      }
    },
    groups: () => [...groups.values()].toSorted((one, other) => other.planned - one.planned),
  }
}

function addTo(
  known: SeenGroup | undefined,
  deadLetter: DeadLetter,
  isPlanned: boolean,
): SeenGroup {
  const { group, origin, reason, shape: error } = deadLetter
  const { count = 0, planned = 0, ids = [] } = known ?? {}
  const more = isPlanned && ids.length < MOST_IDS ? [knownId(deadLetter)] : []
  return {
    group,
    origin,
    reason,
    error,
    count: count + 1,
    planned: planned + (isPlanned ? 1 : 0),
    ids: [...ids, ...more],
  }
}
