import type { Store, StoreKey } from '../../../store/store.ts'
import { isDelayedKey } from '../../../features/delay/delayedRow.ts'
import { splitId } from '../../../sweeper/address.ts'
import {
  type IndexEntry,
  NEEDS_OPERATOR,
  TASK_STATUSES,
  type TaskStatus,
} from '../../../sweeper/due/listDue.ts'
import { countOpen, type Entry } from './openEntries.ts'

/** How many tasks one consumer, flow or scope has in one status. */
export interface TaskCount {
  /** Delayed messages name their sender only in their items, so they are counted as `delayed messages`. */
  readonly of: string
  readonly status: TaskStatus
  readonly number: number
  /** Past their due time. What waits for an operator is not due. */
  readonly overdue: number
  /** The earliest due time, epoch milliseconds. */
  readonly due: number
}

interface Counting {
  readonly of?: string | undefined
  readonly now: number
  /** A brake is why it is late: it is not overdue. */
  readonly isHeldBack?: (entry: IndexEntry) => boolean
}

/**
 * Reads the keys of the status index and no items: a query for each 5,000 entries.
 * @param onTask called with the number read so far
 */
export async function countTasks(
  store: Store,
  counting: Counting,
  onTask: (read: number) => void = () => {},
): Promise<readonly TaskCount[]> {
  const tally = newTally(counting)
  let read = 0
  for await (const entry of countOpen(store, TASK_STATUSES)) {
    onTask((read += 1))
    tally.add(entry)
  }
  return tally.counts()
}

/** Whose the entry of a key is. */
export function ownerOf({ pk }: StoreKey): string {
  return isDelayedKey(pk) ? 'delayed messages' : splitId(pk).owner
}

/** Counts entries of the index, by owner and status. */
export function newTally({ of: only, now, isHeldBack = () => false }: Counting): {
  add(entry: Entry): void
  counts(): readonly TaskCount[]
} {
  const counts = new Map<string, { -readonly [Name in keyof TaskCount]: TaskCount[Name] }>()
  return {
    add(entry) {
      const { status, key } = entry
      const of = ownerOf(key)
      if (only !== undefined && of !== only) return
      const at = `${status} ${of}`
      const count = counts.get(at) ?? { of, status, number: 0, overdue: 0, due: Infinity }
      count.number += 1
      const isLate = key.dueAt < now && !isParked(status) && !isHeldBack(entry)
      if (isLate) count.overdue += 1
      count.due = Math.min(count.due, key.dueAt)
      counts.set(at, count)
    },
    counts: () =>
      [...counts.values()].toSorted(
        (one, other) => compare(one.of, other.of) || compare(one.status, other.status),
      ),
  }
}

function isParked(status: TaskStatus): boolean {
  return NEEDS_OPERATOR.some((each) => each === status)
}

function compare(one: string, other: string): number {
  return one < other ? -1 : Number(one > other)
}
