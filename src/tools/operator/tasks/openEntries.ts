import { shardsOf } from '../../../library/protocol/claim/statusIndex.ts'
import type { DueKey, Store } from '../../../library/protocol/store/store.ts'
import { mapInOrder } from '../../../library/entries/sweeper/due/concurrency.ts'
import {
  ACTIVE,
  NEEDS_OPERATOR,
  SCHEDULED,
  TASK_STATUSES,
  type TaskStatus,
} from '../../../library/entries/sweeper/due/listDue.ts'

export interface TaskEntry {
  readonly status: TaskStatus
  readonly key: DueKey
  /** Listing continues behind this entry with it. */
  readonly place: ListPosition
}

/** A position in a listing: the phase, and the entry in it. */
export interface ListPosition {
  readonly phase: number
  readonly dueAt: number
  readonly pk: string
  readonly sk: string
}

/** Epoch milliseconds, inclusive. */
interface Part {
  readonly from: number
  readonly until: number
}

const ALWAYS: Part = { from: 0, until: Number.MAX_SAFE_INTEGER }
/** The first page of a shard is small, so that the first lines appear soon. */
const FIRST_PAGE = 100
/** Some hundred kilobytes; a page of DynamoDB holds 1 MB at most. */
const LARGEST_PAGE = 5_000

/**
 * What waits for an operator comes first, so that many healthy requests cannot hide the few that need help. What is overdue is at
 * the head of the last phase. A reader that stops after a page has queried only the phases up to there.
 */
const PHASES: readonly (readonly TaskStatus[])[] = [
  ['unknown'],
  NEEDS_OPERATOR.filter((status) => status !== 'unknown'),
  [...ACTIVE, ...SCHEDULED],
]

/**
 * Lists the status index: the most severe phase first, in each the longest due first. Memory is bounded by a page of each shard.
 * @param after the place of an entry of an earlier listing
 * @throws when the store gives no answer
 */
export async function* listOpen(
  store: Store,
  { statuses, until = ALWAYS.until }: OpenQuery,
  after?: ListPosition,
): AsyncGenerator<TaskEntry> {
  for (const [phase, phaseStatuses] of PHASES.entries()) {
    if (after !== undefined && phase < after.phase) continue
    const behind = after?.phase === phase ? after : undefined
    const shards = shardsOfAll(phaseStatuses.filter((status) => statuses.includes(status)))
    for await (const { status, key } of merge(store, shards, { from: behind?.dueAt ?? 0, until })) {
      const place = { phase, dueAt: key.dueAt, pk: key.pk, sk: key.sk }
      if (behind === undefined || compare(place, behind) > 0) yield { status, key, place }
    }
  }
}

/** So many items are read at once. */
const TOGETHER = 100

/** The entries that are kept, a hundred at a time. */
export async function* together(
  entries: AsyncIterable<TaskEntry>,
  isKept: (entry: TaskEntry) => boolean,
): AsyncGenerator<readonly TaskEntry[]> {
  let page: TaskEntry[] = []
  for await (const entry of entries) {
    if (isKept(entry)) page.push(entry)
    if (page.length < TOGETHER) continue
    yield page
    page = []
  }
  yield page
}

interface OpenQuery {
  readonly statuses: readonly TaskStatus[]
  /** Only what is due until then, epoch milliseconds. Default: everything. */
  readonly until?: number | undefined
}

interface Shard {
  readonly status: TaskStatus
  readonly statusShard: string
}

function shardsOfAll(statuses: readonly TaskStatus[]): readonly Shard[] {
  return statuses.flatMap((status) =>
    shardsOf(status).map((statusShard): Shard => ({ status, statusShard })),
  )
}

export type Entry = Pick<TaskEntry, 'status' | 'key'>

/** Each shard is sorted by its due time; so are all of them together. */
async function* merge(store: Store, shards: readonly Shard[], part: Part): AsyncGenerator<Entry> {
  const heads: { first: Entry; readonly rest: AsyncGenerator<Entry, undefined> }[] = []
  const all = shards.map((shard) => entriesOf(store, shard, part, FIRST_PAGE))
  for await (const [rest, { value, done }] of begun(all)) {
    if (done !== true) heads.push({ first: value, rest })
  }
  while (heads.length > 0) {
    const head = heads.reduce((one, other) =>
      compare(other.first.key, one.first.key) < 0 ? other : one,
    )
    yield head.first
    const { value, done } = await head.rest.next()
    if (done === true) heads.splice(heads.indexOf(head), 1)
    else head.first = value
  }
}

/** First pages are read concurrently: mostly they are the last. */
function begun(all: readonly AsyncGenerator<Entry, undefined>[]) {
  return mapInOrder(all, async (entries) => entries.next())
}

/** @param first the size of the first page; each further one is twice as large as the last */
async function* entriesOf(
  store: Store,
  shard: Shard,
  part: Part,
  first: number,
): AsyncGenerator<Entry, undefined> {
  let most = first
  let after: string | undefined
  do {
    const { keys, next } = await readPage(store, shard, part, most, after)
    for (const key of keys) yield { status: shard.status, key }
    most = Math.min(2 * most, LARGEST_PAGE)
    after = next
  } while (after !== undefined)
}

/** The first entries of one status: the longest due first. */
interface OpenStatus {
  readonly entries: readonly Entry[]
  /** The index has more of them. */
  readonly more: boolean
}

/**
 * At most `most` entries of each shard, by status: what it costs does not grow with the table.
 * @throws when the store gives no answer
 */
export async function readOpen(
  store: Store,
  most: number,
): Promise<ReadonlyMap<TaskStatus, OpenStatus>> {
  const open = new Map<TaskStatus, OpenStatus>()
  const read = async (shard: Shard) => readPage(store, shard, ALWAYS, most)
  for await (const [{ status }, { keys, next }] of mapInOrder(shardsOfAll(TASK_STATUSES), read)) {
    const { entries = [], more = false } = open.get(status) ?? {}
    const all = [...entries, ...keys.map((key) => ({ status, key }))]
    open.set(status, { entries: all, more: more || next !== undefined })
  }
  for (const [status, { entries, more }] of open) {
    open.set(status, {
      entries: entries.toSorted((one, other) => compare(one.key, other.key)),
      more,
    })
  }
  return open
}

/**
 * Every entry, in no order: a query for each shard, and one for each 5,000 entries of it.
 * @throws when the store gives no answer
 */
export async function* eachOpenEntry(store: Store): AsyncGenerator<Entry> {
  const shards = shardsOfAll(TASK_STATUSES)
  const all = shards.map((shard) => entriesOf(store, shard, ALWAYS, LARGEST_PAGE))
  for await (const [rest, { value, done }] of begun(all)) {
    if (done === true) continue
    yield value
    yield* rest
  }
}

async function readPage(
  store: Store,
  { statusShard }: Shard,
  part: Part,
  most: number,
  after?: string,
): Promise<{ readonly keys: readonly DueKey[]; readonly next: string | undefined }> {
  const page = await store.due({ statusShard, ...part, most, after })
  if (page.kind === 'failed') throw page.error
  return page
}

function compare(one: Omit<ListPosition, 'phase'>, other: Omit<ListPosition, 'phase'>): number {
  return one.dueAt - other.dueAt || compareText(one.pk, other.pk) || compareText(one.sk, other.sk)
}

export function compareText(one: string, other: string): number {
  return one < other ? -1 : Number(one > other)
}
