import type { Store } from '../../../store/store.ts'
import { listByStatus, type IndexEntry, TASK_STATUSES, type TaskStatus } from './listDue.ts'
import { loadItems } from '../item/loadItem.ts'
import { type Task, taskOf } from '../item/task.ts'
import { formatValue } from '../text/formatValue.ts'

/** A task must meet all given conditions. */
export interface TaskFilter {
  /** Name of a consumer, a scope or a flow. */
  readonly of?: string | undefined
  /** Name of an open stage, or of an awaited step. */
  readonly stage?: string | undefined
  readonly statuses?: readonly TaskStatus[] | undefined
  /** Last claimed or first sent at least this long ago, milliseconds. */
  readonly olderThan?: number | undefined
  /** Due before, epoch milliseconds. */
  readonly dueBefore?: number | undefined
}

const READ_TOGETHER = 100

/**
 * Lists what is open, status by status, longest due first: queries of the status index, and one consistent read of each item.
 * A request in its first attempt is not listed: its first retry enters it into the index.
 * @throws StoreUnavailableError when the store gives no answer
 */
export async function* listTasks(
  store: Store,
  filter: TaskFilter,
  now: number,
): AsyncGenerator<Task> {
  const part = { until: filter.dueBefore ?? FOREVER, most: Infinity }
  let together: IndexEntry[] = []
  for await (const listed of listByStatus(store, {
    statuses: filter.statuses ?? TASK_STATUSES,
    ...part,
  })) {
    together.push(listed)
    if (together.length < READ_TOGETHER) continue
    yield* tasksOf(store, together, filter, now)
    together = []
  }
  yield* tasksOf(store, together, filter, now)
}

const FOREVER = Number.MAX_SAFE_INTEGER

async function* tasksOf(
  store: Store,
  listed: readonly IndexEntry[],
  filter: TaskFilter,
  now: number,
): AsyncGenerator<Task> {
  if (listed.length === 0) return
  const items = await loadItems(
    store,
    listed.map(({ key }) => key),
  )
  for (const [index, item] of items.entries()) {
    // Its status has changed since the index was read: it is listed under the other status.
    if (!formatValue(item?.['statusShard']).startsWith(`${listed[index]?.status}#`)) continue
    const task = item && taskOf(item)
    if (task !== undefined && matches(task, filter, now)) yield task
  }
}

function matches(task: Task, { of, stage, olderThan }: TaskFilter, now: number): boolean {
  if (of !== undefined && task.of !== of) return false
  if (stage !== undefined && !task.stages.includes(stage)) return false
  return olderThan === undefined || (task.since !== undefined && now - task.since >= olderThan)
}
