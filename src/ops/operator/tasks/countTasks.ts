import type { Store } from '../../../store/store.ts'
import { listTasks, type TaskFilter } from './listTasks.ts'

/** How many tasks one consumer, flow or scope has in one status. Times are epoch milliseconds. */
export interface TaskCount {
  readonly of: string
  readonly status: string
  readonly number: number
  /** Past their due time. */
  readonly overdue: number
  readonly oldest: number | undefined
}

/** @param onTask called with the number read so far */
export async function countTasks(
  store: Store,
  filter: TaskFilter,
  now: number,
  onTask: (read: number) => void = () => {},
): Promise<readonly TaskCount[]> {
  const counts = new Map<string, TaskCount>()
  let read = 0
  for await (const { of, status, dueAt = Infinity, since } of listTasks(store, filter, now)) {
    const at = JSON.stringify([of, status])
    const before = counts.get(at) ?? { of, status, number: 0, overdue: 0, oldest: undefined }
    const { number, overdue, oldest = since } = before
    counts.set(at, {
      of,
      status,
      number: number + 1,
      overdue: overdue + (dueAt < now ? 1 : 0),
      oldest: since === undefined || oldest === undefined ? oldest : Math.min(since, oldest),
    })
    onTask((read += 1))
  }
  return [...counts.values()].toSorted(
    (one, other) => compare(one.of, other.of) || compare(one.status, other.status),
  )
}

function compare(one: string, other: string): number {
  return one < other ? -1 : Number(one > other)
}
