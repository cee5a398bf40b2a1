import { readAwaiting } from '../../../library/protocol/claim/awaiting/awaiting.ts'
import { readStageRecord } from '../../../library/protocol/claim/stage/stageRecord.ts'
import type { Item, Store, StoreKey } from '../../../library/protocol/store/store.ts'
import { itemKey } from '../../../library/entries/sweeper/address.ts'
import { splitId } from '../text/itemId.ts'
import { isDelayedKey } from '../../../library/protocol/claim/delayed/delayedRow.ts'
import {
  compareText,
  type Entry,
  listOpen,
  type TaskEntry,
  type ListPosition,
  eachOpenEntry,
  together,
} from './openEntries.ts'
import {
  TASK_STATUSES,
  type TaskStatus,
  type IndexEntry,
  NEEDS_OPERATOR,
  readItems,
  itemIn,
  type ReadItem,
} from '../../../library/entries/sweeper/due/listDue.ts'
import { type Task, taskOf, unknownTask } from '../item/task.ts'
import { formatValue } from '../text/humanTime.ts'

/** A task must meet all given conditions. */
export interface TaskFilter {
  /** Name of a consumer, of a key or of a flow. */
  readonly of?: string | undefined
  /** Name of an open stage, or of an awaited step. */
  readonly stage?: string | undefined
  readonly statuses?: readonly TaskStatus[] | undefined
  /** Last claimed or first sent at least this long ago, milliseconds. */
  readonly olderThan?: number | undefined
  /** Due before, epoch milliseconds. */
  readonly dueBefore?: number | undefined
}

/** A task, and its entry in the index. */
export interface ListedTask<Each extends Entry = TaskEntry> {
  readonly task: Task
  readonly entry: Each
}

/**
 * Lists what is open, the most severe first: what waits for an operator, what is overdue, the rest; in each the longest due first.
 * Queries of the status index, and one consistent read of each item; memory is bounded by a page. A request or a key in its
 * first attempt is not listed, nor a run all of whose stages are: a second attempt enters it into the index, or the search of the sweeper, if the
 * first one was lost.
 * @param after the place of a task of an earlier listing
 * @throws StoreUnavailableError when the store gives no answer
 */
export async function* listTasks(
  store: Store,
  filter: TaskFilter,
  now: number,
  after?: ListPosition,
): AsyncGenerator<ListedTask> {
  const { statuses = TASK_STATUSES, dueBefore } = filter
  const load: Load = async (keys) => readItems(store, keys)
  const open = listOpen(store, { statuses, until: dueBefore }, after)
  const pages = together(open, (entry) => mayBeOf(entry, filter))
  for await (const entries of pages) yield* tasksOf(load, entries, filter, now)
}

/** A key names its owner, so that the items of others are not read; a delayed message only names it in its item. */
function mayBeOf({ key }: TaskEntry, { of }: TaskFilter): boolean {
  return of === undefined || isDelayedKey(key.pk) || splitId(key.pk).owner === of
}

type Load = (keys: readonly StoreKey[]) => Promise<readonly ReadItem[]>

/**
 * The tasks of some entries of the index, as they were a second ago: half the price of a consistent read, and good enough to
 * describe them.
 * @throws StoreUnavailableError when the store gives no answer
 */
export async function describeEntries(
  store: Store,
  entries: readonly Entry[],
  now: number,
): Promise<readonly Task[]> {
  const load: Load = async (keys) => readItems(store, keys, { consistent: false })
  const tasks: Task[] = []
  for await (const { task } of tasksOf(load, entries, {}, now)) tasks.push(task)
  return tasks
}

async function* tasksOf<Each extends Entry>(
  load: Load,
  entries: readonly Each[],
  filter: TaskFilter,
  now: number,
): AsyncGenerator<ListedTask<Each>> {
  if (entries.length === 0) return
  const seen = await load(entries.map(({ key: { pk, sk } }) => ({ pk, sk })))
  const items = seen.map(itemIn)
  const runs = await holders(load, items)
  for (const [index, entry] of entries.entries()) {
    const [item, unknown] = [items[index], seen[index]]
    if (unknown?.kind === 'notKnown') {
      const task = unknownTask(entry.key, entry.status, unknown.error)
      if (matches(task, filter, now)) yield { task, entry }
      continue
    }
    if (item !== undefined && isOfEndedRun(item, runs)) continue
    // Its status has changed since the index was read: it is listed under the other status.
    if (!formatValue(item?.['statusShard']).startsWith(`${entry.status}#`)) continue
    const task = item && taskOf(item)
    if (task !== undefined && matches(task, filter, now)) yield { task, entry }
  }
}

/** Which request has the key of each awaited step, by the partition key. */
async function holders(
  load: Load,
  items: readonly (Item | undefined)[],
): Promise<ReadonlyMap<string, string | undefined>> {
  const pks = [
    ...new Set(items.flatMap((item) => (item && isStep(item) ? [itemKey(item).pk] : []))),
  ]
  if (pks.length === 0) return new Map()
  const records = (await load(pks.map((pk) => ({ pk, sk: 'stage' })))).map(itemIn)
  return new Map(
    pks.map((pk, at) => {
      const record = records[at] && readStageRecord(records[at])
      return [pk, record?.run?.uniqueRequestId]
    }),
  )
}

/**
 * A step stays in the index until it is due, also if its run was reset or has died. Nothing can answer it any more, unless it was
 * reopened.
 */
function isOfEndedRun(item: Item, runs: ReadonlyMap<string, string | undefined>): boolean {
  if (!isStep(item)) return false
  const awaiting = readAwaiting(item)
  if (awaiting === undefined || awaiting.reopened) return false
  return runs.get(awaiting.key.pk) !== awaiting.uniqueRequestId
}

function isStep(item: Item): boolean {
  return itemKey(item).sk.startsWith('await#')
}

function matches(task: Task, { of, stage, olderThan }: TaskFilter, now: number): boolean {
  if (of !== undefined && task.of !== of) return false
  if (stage !== undefined && !task.stages.includes(stage)) return false
  return olderThan === undefined || (task.since !== undefined && now - task.since >= olderThan)
}

/** How many tasks one consumer, flow or name of a key has in one status. */
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
  /** A circuit breaker is why it is late: it is not overdue. */
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
  for await (const entry of eachOpenEntry(store)) {
    onTask((read += 1))
    tally.add(entry)
  }
  return tally.counts()
}

export function ownerOf({ pk }: StoreKey): string {
  return isDelayedKey(pk) ? 'delayed messages' : splitId(pk).owner
}

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
      const isParked = NEEDS_OPERATOR.some((each) => each === status)
      const isLate = key.dueAt < now && !isParked && !isHeldBack(entry)
      if (isLate) count.overdue += 1
      count.due = Math.min(count.due, key.dueAt)
      counts.set(at, count)
    },
    counts: () =>
      [...counts.values()].toSorted(
        (one, other) => compareText(one.of, other.of) || compareText(one.status, other.status),
      ),
  }
}
