import { documented } from '../proof/formats/page.ts'
import { memoryStore } from 'lineclear/testing'
import { sweepHandler } from 'lineclear'
import { countTasks, listTasks } from '../../src/tools/operator/tasks/listTasks.ts'
import { expect, it } from 'vitest'
import { TASK_STATUSES } from '../../src/library/entries/sweeper/due/listDue.ts'
import {
  CONCURRENT_CALLS,
  mapInOrder,
  forEachConcurrently,
} from '../../src/library/entries/sweeper/due/concurrency.ts'
import type { DueOutcome, Store } from '../../src/library/protocol/store/store.ts'
import { quietLogger } from '../deliver/quietLogger.ts'

const QUERIES = TASK_STATUSES.length * 8

/** Counts the queries of the index, and how many were under way at the same time. */
function watched(answer?: (shard: string) => DueOutcome | undefined) {
  const store = documented(memoryStore())
  const seen = { asked: [] as string[], now: 0, most: 0 }
  const due: Store['due'] = async (query) => {
    seen.asked.push(query.statusShard)
    seen.now += 1
    seen.most = Math.max(seen.most, seen.now)
    await new Promise((resolve) => setTimeout(resolve, 2))
    seen.now -= 1
    return answer?.(query.statusShard) ?? store.due(query)
  }
  return { seen, store: { ...store, due } as Store }
}

const all = async (store: Store): Promise<readonly string[]> => {
  const ids: string[] = []
  for await (const { task } of listTasks(store, {}, 1)) ids.push(task.id)
  return ids
}

it.each([
  ['ls', CONCURRENT_CALLS, all],
  ['stats', CONCURRENT_CALLS, async (store: Store) => countTasks(store, { now: 1 })],
  // What is to be sent does not wait for what is overdue, and neither do pauses that end.
  [
    'sweep',
    2 * CONCURRENT_CALLS + 1,
    async (store: Store) => sweepHandler({ store, logger: quietLogger() })(),
  ],
])('%s asks an empty index shard by shard, %d at a time', async (_name, most, run) => {
  const { seen, store } = watched()
  await run(store)
  // The sweeper also ends pauses, which are in one shard.
  const asked = seen.asked.filter((shard) => !shard.startsWith('paused#'))
  expect(asked).toHaveLength(QUERIES)
  expect(asked.toSorted()).toEqual(
    TASK_STATUSES.flatMap((status) =>
      Array.from({ length: 8 }, (_, at) => `${status}#${at}`),
    ).toSorted(),
  )
  expect(seen.most).toBe(most)
})

it('lists what is more severe first, then by due time, whichever shard answers first, and pages to the end', async () => {
  const store = documented(memoryStore())
  const items = Array.from({ length: 350 }, (_, at) => ({
    pk: `lock#c/${String(at).padStart(3, '0')}`,
    sk: 'token',
    status: at < 330 ? 'error' : 'unknown',
    statusShard: at < 330 ? 'error#3' : 'unknown#0',
    dueAt: at + 1,
  }))
  for (const item of items) await store.create([item])
  const slow: Store['due'] = async (query) => {
    await new Promise((resolve) => setTimeout(resolve, query.statusShard === 'error#3' ? 9 : 1))
    return store.due(query)
  }
  const ids = items.map(({ pk }) => pk.slice('lock#'.length))
  expect(await all({ ...store, due: slow })).toEqual([...ids.slice(330), ...ids.slice(0, 330)])
})

it('a sweep looks at no more of one status than it may, and counts the rest by their keys', async () => {
  const { seen, store } = watched()
  const dead = Array.from({ length: 250 }, (_, at) => ({
    pk: `flow#f/${at}`,
    sk: `dead#${at}`,
    statusShard: 'dead#0',
    dueAt: at + 1,
  }))
  for (const item of dead) await store.create([item])
  const report = await sweepHandler({ store, logger: quietLogger(), most: 120 })()
  expect(report).toMatchObject({ looked: 120, waiting: 120 })
  expect(seen.asked.filter((shard) => shard === 'dead#0')).toHaveLength(1)
})

it('a shard that gives no answer ends the listing with its error, also when others are under way', async () => {
  const error = new Error('no answer')
  const { store } = watched((shard) =>
    shard === 'error#1' ? { kind: 'failed', error } : undefined,
  )
  await expect(all(store)).rejects.toBe(error)
  await expect(sweepHandler({ store, logger: quietLogger() })()).rejects.toBe(error)
})

it('after a reader stops no more queries are sent, and no failure of theirs is thrown', async () => {
  let asked = 0
  const answers = mapInOrder(Array.from({ length: 100 }), async () => {
    asked += 1
    if (asked > 3) throw new Error('no server listens')
  })
  for await (const _answer of answers) break
  await new Promise((resolve) => setTimeout(resolve, 5))
  expect(asked).toBe(CONCURRENT_CALLS)
})

it('running jobs end before the failure of the source is thrown', async () => {
  const ended: number[] = []
  async function* source() {
    yield* [1, 2, 3]
    throw new Error('broken')
  }
  const work = async (job: number): Promise<void> => {
    await new Promise((resolve) => setTimeout(resolve, job * 3))
    ended.push(job)
  }
  await expect(forEachConcurrently(source(), work)).rejects.toThrow('broken')
  expect(ended).toEqual([1, 2, 3])
})
