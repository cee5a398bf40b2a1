import type { DueOutcome, StoreKey, Store } from '../../store/store.ts'
import { shardsOf } from '../../claim/statusIndex.ts'
import { ACTIVE, NEEDS_OPERATOR, type TaskStatus } from './statuses.ts'
import { mapInOrder } from './concurrency.ts'

const OPEN_STATUSES = [...ACTIVE, ...NEEDS_OPERATOR]
const PAGE = 1_000

export interface IndexEntry {
  readonly status: TaskStatus
  readonly key: StoreKey
}

/** Selects entries of the status index. */
interface IndexQuery {
  readonly statuses: readonly TaskStatus[]
  /** Due before, epoch milliseconds. */
  readonly until: number
  /** The most entries of each status, so that many of one status cannot hide the others. */
  readonly most: number
}

/**
 * Items that were due before `until`, by status, the longest overdue first, without delayed messages. Of each status at most
 * `most` are listed.
 * @throws when the store gives no answer
 */
export async function listDue(
  store: Store,
  until: number,
  most: number,
): Promise<ReadonlyMap<TaskStatus, readonly StoreKey[]>> {
  const due = new Map<TaskStatus, StoreKey[]>(OPEN_STATUSES.map((status) => [status, []]))
  for await (const { status, key } of listByStatus(store, {
    statuses: OPEN_STATUSES,
    until,
    most,
  })) {
    due.get(status)?.push(key)
  }
  return due
}

/** Counts what is active, at most `most` of each status. */
export async function countActive(store: Store, most: number): Promise<number> {
  let number = 0
  const all = { statuses: ACTIVE, until: Number.MAX_SAFE_INTEGER, most }
  for await (const _listed of listByStatus(store, all)) number += 1
  return number
}

/** Lists status by status, shard by shard. First pages are read concurrently, because they are nearly always the last pages, too. */
async function* listByStatus(
  store: Store,
  { statuses, until, most }: IndexQuery,
): AsyncGenerator<IndexEntry> {
  const left = new Map(statuses.map((status) => [status, most]))
  const hasRoom = (status: TaskStatus): boolean => (left.get(status) ?? 0) > 0
  const firstPages = mapInOrder(
    statuses.flatMap((status) =>
      shardsOf(status).map((statusShard): Shard => ({ status, statusShard })),
    ),
    async (shard) => (hasRoom(shard.status) ? readPage(store, shard, until) : EMPTY_PAGE),
  )
  for await (const [shard, first] of firstPages) {
    const { status } = shard
    for await (const key of keysFrom(store, shard, until, first)) {
      if (!hasRoom(status)) break
      left.set(status, (left.get(status) ?? 0) - 1)
      yield { status, key }
    }
  }
}

interface Shard {
  readonly status: TaskStatus
  readonly statusShard: string
}

type Page = Extract<DueOutcome, { kind: 'found' }>
const EMPTY_PAGE: Page = { kind: 'found', keys: [], next: undefined }

async function* keysFrom(
  store: Store,
  shard: Shard,
  until: number,
  first: Page,
): AsyncGenerator<StoreKey> {
  let page = first
  for (;;) {
    yield* page.keys
    if (page.next === undefined) return
    page = await readPage(store, shard, until, page.next)
  }
}

async function readPage(
  store: Store,
  { statusShard }: Shard,
  until: number,
  after?: string,
): Promise<Page> {
  const page = await store.due({ statusShard, until, most: PAGE, after })
  if (page.kind === 'failed') throw page.error
  return page
}
