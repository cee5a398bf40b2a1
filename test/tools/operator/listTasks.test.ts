import { documented } from '../../proof/formats/page.ts'
import { memoryStore } from 'lineclear/testing'
import { expect, it } from 'vitest'
import { countTasks, listTasks } from '../../../src/tools/operator/tasks/listTasks.ts'
import type { ListPosition } from '../../../src/tools/operator/tasks/openEntries.ts'
import { TASK_STATUSES, type TaskStatus } from '../../../src/library/entries/sweeper/due/listDue.ts'
import type { Item, Store, StoreKey } from '../../../src/library/protocol/store/store.ts'

const NOW = 10_000
const TOKEN = { sk: 'token', attemptId: 'a', attempt: 1, fence: 1 }
/** mulberry32 */
function seeded(seed: number): () => number {
  let state = seed
  return () => {
    state = (state + 0x6d2b79f5) >>> 0
    let mix = Math.imul(state ^ (state >>> 15), state | 1)
    mix ^= mix + Math.imul(mix ^ (mix >>> 7), mix | 61)
    return ((mix ^ (mix >>> 14)) >>> 0) / 2 ** 32
  }
}

const SEVERITY: Readonly<Partial<Record<TaskStatus, number>>> = { unknown: 0, error: 1, dead: 1 }

/** Tokens of every status, with due times around now, many of them equal. */
async function many(seed: number, number: number) {
  const next = seeded(seed)
  const items = Array.from({ length: number }, (_, at): Item & StoreKey => {
    const status = TASK_STATUSES[Math.floor(next() * TASK_STATUSES.length)] as TaskStatus
    return {
      pk: `lock#orders/${at}`,
      ...TOKEN,
      status,
      statusShard: `${status}#${Math.floor(next() * 8)}`,
      dueAt: NOW + Math.floor(next() * 40) - 20,
    }
  })
  const store = documented(memoryStore())
  await store.create(items)
  return { store, items }
}

async function listed(store: Store, most = Infinity, after?: ListPosition) {
  const found: { id: string; severity: number; dueAt: number }[] = []
  let place: ListPosition | undefined
  for await (const each of listTasks(store, {}, NOW, after)) {
    if (found.length === most) break
    const { id, status, dueAt = 0 } = each.task
    found.push({ id, severity: SEVERITY[status as TaskStatus] ?? 2, dueAt })
    place = each.entry.place
  }
  return { found, place }
}

it.each([1, 2, 3])(
  'what is more severe comes first, then the longest due: seed %d',
  async (seed) => {
    const { store, items } = await many(seed, 700)
    const { found } = await listed(store)
    expect(found.map(({ id }) => id).toSorted()).toEqual(
      items.map(({ pk }) => pk.slice('lock#'.length)).toSorted(),
    )
    const inOrder = found.toSorted(
      (one, other) => one.severity - other.severity || one.dueAt - other.dueAt,
    )
    expect(found.map(({ severity, dueAt }) => [severity, dueAt])).toEqual(
      inOrder.map(({ severity, dueAt }) => [severity, dueAt]),
    )
  },
)

it.each([
  [1, 60],
  [7, 360],
  [100, 360],
  [350, 360],
])('pages of %d list everything once', async (most, number) => {
  const { store, items } = await many(5, number)
  const ids: string[] = []
  for (let after: ListPosition | undefined; ;) {
    const { found, place } = await listed(store, most, after)
    ids.push(...found.map(({ id }) => id))
    if (found.length < most) break
    after = place
  }
  expect(ids).toEqual((await listed(store)).found.map(({ id }) => id))
  expect(ids).toHaveLength(items.length)
})

it('a page reads only the statuses that it shows, and only its own items', async () => {
  const store = documented(memoryStore())
  const tokens = (status: TaskStatus, number: number) =>
    Array.from({ length: number }, (_, at) => ({
      ...TOKEN,
      pk: `lock#orders/${status}-${at}`,
      status,
      statusShard: `${status}#${at % 8}`,
      dueAt: at,
    }))
  await store.create([...tokens('unknown', 150), ...tokens('inProgress', 5_000)])
  const asked = { queries: new Set<string>(), items: 0 }
  const watched: Store = {
    ...store,
    due: async (query) => {
      asked.queries.add(query.statusShard.split('#')[0] ?? '')
      return store.due(query)
    },
    read: async (keys, options) => {
      asked.items += keys.length
      return store.read(keys, options)
    },
  }
  await listed(watched, 99)
  expect(asked).toEqual({ queries: new Set(['unknown']), items: 100 })
})

it('counts 12,000 entries by tens of queries, and reads no items', async () => {
  const store = documented(memoryStore())
  await store.create(
    Array.from({ length: 12_000 }, (_, at) => ({
      ...TOKEN,
      pk: `lock#orders/${at}`,
      status: 'error',
      statusShard: 'error#0',
      dueAt: at,
    })),
  )
  const asked = { queries: 0, reads: 0 }
  const watched: Store = {
    ...store,
    due: async (query) => {
      asked.queries += 1
      return store.due(query)
    },
    read: async (keys) => {
      asked.reads += 1
      return store.read(keys)
    },
  }
  expect(await countTasks(watched, { now: 6_000 })).toEqual([
    { of: 'orders', status: 'error', number: 12_000, overdue: 0, due: 0 },
  ])
  expect(asked).toEqual({ queries: TASK_STATUSES.length * 8 + 2, reads: 0 })
})
