import type { Store } from '../../../store/store.ts'
import { isDelayedKey } from '../../../features/delay/delayedRow.ts'
import { splitId } from '../../../sweeper/address.ts'
import {
  type IndexEntry,
  NEEDS_OPERATOR,
  TASK_STATUSES,
  type TaskStatus,
} from '../../../sweeper/due/listDue.ts'
import { countOpen } from './openEntries.ts'

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
  { of: only, now, isHeldBack = () => false }: Counting,
  onTask: (read: number) => void = () => {},
): Promise<readonly TaskCount[]> {
  const counts = new Map<string, { -readonly [Name in keyof TaskCount]: TaskCount[Name] }>()
  let read = 0
  for await (const entry of countOpen(store, TASK_STATUSES)) {
    const { status, key } = entry
    onTask((read += 1))
    const of = isDelayedKey(key.pk) ? 'delayed messages' : splitId(key.pk).owner
    if (only !== undefined && of !== only) continue
    const at = `${status} ${of}`
    const count = counts.get(at) ?? { of, status, number: 0, overdue: 0, due: Infinity }
    count.number += 1
    const isLate = key.dueAt < now && !isParked(status) && !isHeldBack(entry)
    if (isLate) count.overdue += 1
    count.due = Math.min(count.due, key.dueAt)
    counts.set(at, count)
  }
  return [...counts.values()].toSorted(
    (one, other) => compare(one.of, other.of) || compare(one.status, other.status),
  )
}

function isParked(status: TaskStatus): boolean {
  return NEEDS_OPERATOR.some((each) => each === status)
}

function compare(one: string, other: string): number {
  return one < other ? -1 : Number(one > other)
}
