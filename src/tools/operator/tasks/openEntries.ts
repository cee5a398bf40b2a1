import { shardsOf } from '../../../claim/statusIndex.ts'
import type { DueKey, Store } from '../../../store/store.ts'
import { mapInOrder } from '../../../sweeper/due/concurrency.ts'
import {
  ACTIVE,
  NEEDS_OPERATOR,
  SCHEDULED,
  TASK_STATUSES,
  type TaskStatus,
} from '../../../sweeper/due/listDue.ts'

/** An entry of the status index. */
export interface OpenEntry {
  readonly status: TaskStatus
  readonly key: DueKey
  /** Listing continues behind this entry with it. */
  readonly place: Place
}

/** A position in a listing: the phase, and the entry in it. */
export interface Place {
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
/** The first page of a shard is small, so that the first lines appear soon. Each further page is twice as large as the last. */
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
  after?: Place,
): AsyncGenerator<OpenEntry> {
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
  entries: AsyncIterable<OpenEntry>,
  isKept: (entry: OpenEntry) => boolean,
): AsyncGenerator<readonly OpenEntry[]> {
  let page: OpenEntry[] = []
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

interface Head {
  readonly shard: Shard
  keys: readonly DueKey[]
  at: number
  next: string | undefined
  most: number
}

export type Entry = Pick<OpenEntry, 'status' | 'key'>

/** Each shard is sorted by its due time; so are all of them together. First pages are read concurrently: mostly they are the last. */
async function* merge(store: Store, shards: readonly Shard[], part: Part): AsyncGenerator<Entry> {
  const heads: Head[] = []
  for await (const [, head] of mapInOrder(shards, async (shard) => openHead(store, shard, part))) {
    if (head.keys.length > 0) heads.push(head)
  }
  while (heads.length > 0) {
    const first = heads.reduce((one, other) =>
      compare(keyAt(other), keyAt(one)) < 0 ? other : one,
    )
    yield { status: first.shard.status, key: keyAt(first) }
    first.at += 1
    if (first.at === first.keys.length && !(await turnPage(store, first, part))) {
      heads.splice(heads.indexOf(first), 1)
    }
  }
}

function keyAt({ keys, at }: Head): DueKey {
  return keys[at] as DueKey
}

async function openHead(store: Store, shard: Shard, part: Part): Promise<Head> {
  const { keys, next } = await readPage(store, shard, part, FIRST_PAGE)
  return { shard, keys, at: 0, next, most: FIRST_PAGE }
}

/** @returns whether there is another entry */
async function turnPage(store: Store, head: Head, part: Part): Promise<boolean> {
  while (head.next !== undefined) {
    const most = Math.min(2 * head.most, LARGEST_PAGE)
    const { keys, next } = await readPage(store, head.shard, part, most, head.next)
    Object.assign(head, { keys, at: 0, next, most })
    if (keys.length > 0) return true
  }
  return false
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
export async function* countOpen(
  store: Store,
  statuses: readonly TaskStatus[],
): AsyncGenerator<Entry> {
  const first = mapInOrder(shardsOfAll(statuses), async (shard) =>
    readPage(store, shard, ALWAYS, LARGEST_PAGE),
  )
  for await (const [shard, page] of first) {
    let { keys, next } = page
    for (;;) {
      for (const key of keys) yield { status: shard.status, key }
      if (next === undefined) break
      ;({ keys, next } = await readPage(store, shard, ALWAYS, LARGEST_PAGE, next))
    }
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

function compare(one: Omit<Place, 'phase'>, other: Omit<Place, 'phase'>): number {
  return one.dueAt - other.dueAt || compareText(one.pk, other.pk) || compareText(one.sk, other.sk)
}

export function compareText(one: string, other: string): number {
  return one < other ? -1 : Number(one > other)
}
