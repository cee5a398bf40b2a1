import type { Key, Store } from '../store/store.ts'

/** What lock tokens, stage records and steps are listed under while somebody is at work on them, or should be. */
const AT_WORK = ['inProgress', 'dying', 'running', 'awaiting'] as const
/** These wait for a person. */
const PARKED = ['error', 'unknown', 'dead'] as const
export type Status = (typeof AT_WORK)[number] | (typeof PARKED)[number]
export const STATUSES: readonly Status[] = [...AT_WORK, ...PARKED]
const SHARDS = 8
const PAGE = 100

/**
 * What was due before `until`, at most `most` of each status, so that a heap of one cannot hide the others.
 * @throws when the store gives no answer
 */
export async function* listDue(store: Store, until: number, most: number): AsyncGenerator<Key> {
  for (const status of STATUSES) yield* listStatus(store, status, until, most)
}

/** How many are at work now, or should be; of each status no more than `most` are counted. */
export async function countAtWork(store: Store, most: number): Promise<number> {
  let number = 0
  for (const status of AT_WORK) {
    for await (const _key of listStatus(store, status, Number.MAX_SAFE_INTEGER, most)) number += 1
  }
  return number
}

/** What is listed under one status, at most `most`. */
export async function* listStatus(
  store: Store,
  status: string,
  until: number,
  most: number,
): AsyncGenerator<Key> {
  let left = most
  for (let shard = 0; shard < SHARDS; shard++) {
    for await (const key of listShard(store, `${status}#${shard}`, until)) {
      if (left === 0) return
      left -= 1
      yield key
    }
  }
}

async function* listShard(store: Store, statusShard: string, until: number): AsyncGenerator<Key> {
  let after: string | undefined
  do {
    const page = await store.due({ statusShard, until, most: PAGE, after })
    if (page.kind === 'failed') throw page.error
    yield* page.keys
    after = page.next
  } while (after !== undefined)
}
