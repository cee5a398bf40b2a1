import {
  type DueOutcome,
  type ReadOutcome,
  type StoreKey,
  type Store,
  type Item,
  hasNoAnswer,
  type Failed,
} from '../../../protocol/store/store.ts'
import { shardsOf } from '../../../protocol/claim/statusIndex.ts'
import { mapInOrder } from './concurrency.ts'
import { CIRCUIT_SHARD } from '../../../features/circuitBreaker/circuit.ts'

/** Statuses that an attempt or a message should continue by itself. */
export const ACTIVE = ['inProgress', 'dying', 'running', 'awaiting', 'accepted'] as const
/** Statuses that wait for an operator. */
export const NEEDS_OPERATOR = ['error', 'unknown', 'dead'] as const
/** Delayed messages, which the sweeper sends when they are due. */
export const SCHEDULED = ['later'] as const
export type TaskStatus = (typeof ACTIVE | typeof NEEDS_OPERATOR | typeof SCHEDULED)[number]
export const TASK_STATUSES: readonly TaskStatus[] = [...ACTIVE, ...NEEDS_OPERATOR, ...SCHEDULED]

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
 * Items that were due before `until`, by status, the longest overdue first, without delayed messages: at most `most` of each
 * status.
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

/** Whether an attempt or a message should continue it; otherwise it waits for an operator. */
export function isActive(status: TaskStatus): boolean {
  return ACTIVE.some((each) => each === status)
}

/** Each consumer and each stage has at most one. */
const MOST = 1_000

/** The open circuits. */
interface Circuits {
  readonly keys: readonly StoreKey[]
  /** Whether its next attempt is late because of a circuit breaker. */
  holdBack(entry: IndexEntry): boolean
}

export const NO_CIRCUITS: Circuits = { keys: [], holdBack: () => false }

/**
 * One query of the status index, which may be a second old.
 * @throws StoreUnavailableError
 */
export async function readCircuits(store: Store): Promise<Circuits> {
  const all = { statusShard: CIRCUIT_SHARD, until: Number.MAX_SAFE_INTEGER, most: MOST }
  const page = await store.due(all)
  if (page.kind === 'failed') throw page.error
  const prefixes = page.keys.flatMap(({ sk }) => prefixesOf(sk))
  return {
    keys: page.keys,
    holdBack: ({ status, key: { pk } }) =>
      (status === 'inProgress' || status === 'running') &&
      prefixes.some((prefix) => pk.startsWith(prefix)),
  }
}

/** Partition keys of a consumer's tokens, and of the runs of a flow whose stage it is: `flow.stage`. */
function prefixesOf(name: string): readonly string[] {
  // @protects runs that a stage’s circuit breaker holds back are not reported as late
  // @without -1
  const dot = name.lastIndexOf('.')
  return [`lock#${name}/`, ...(dot > 0 ? [`flow#${name.slice(0, dot)}/`] : [])]
}

/** Reads an item consistently. */
export async function loadItem(store: Store, key: StoreKey): Promise<Item | undefined> {
  const [item] = await loadItems(store, [key])
  return item
}

/** Reads items consistently, in the order of the keys. */
export async function loadItems(
  store: Store,
  keys: readonly StoreKey[],
): Promise<readonly (Item | undefined)[]> {
  return (await store.read(keys, { consistent: true })).map(itemOrThrow)
}

/** @throws StoreUnavailableError, also for an item that is not known to this version */
function itemOrThrow(outcome: ReadOutcome): Item | undefined {
  if (hasNoAnswer(outcome)) throw outcome.error
  return outcome.item
}

/** What a read has shown, of which each may be an item that is not known to this version. */
export type ReadItem = Exclude<ReadOutcome, Failed>

/** As `loadItems`, for those who work on many items: one that is not known to this version does not stop them. */
export async function readItems(
  store: Store,
  keys: readonly StoreKey[],
  options: { readonly consistent: boolean } = { consistent: true },
): Promise<readonly ReadItem[]> {
  return (await store.read(keys, options)).map((outcome) => {
    if (outcome.kind === 'failed') throw outcome.error
    return outcome
  })
}

/** The item of an outcome that has been checked for what is not known to this version. */
export function itemIn(seen: ReadItem | undefined): Item | undefined {
  return seen?.kind === 'found' ? seen.item : undefined
}

/** The item, or undefined: nothing is there, or `leave` was called with the error. */
export function itemOf(seen: ReadItem, leave: (error: Error) => void): Item | undefined {
  if (seen.kind === 'found') return seen.item
  leave(seen.error)
  return undefined
}
