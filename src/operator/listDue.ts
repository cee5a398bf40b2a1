import type { Key, Store } from '../store/store.ts'

/** What the lock tokens, stage records and steps are listed under. */
const STATUSES = ['inProgress', 'dying', 'running', 'awaiting', 'error', 'unknown', 'dead'] as const
const SHARDS = 8
const PAGE = 100

/** Everything that was due before `until`, status by status. @throws when the store gives no answer */
export async function* listDue(store: Store, until: number): AsyncGenerator<Key> {
  for (const status of STATUSES) {
    for (let shard = 0; shard < SHARDS; shard++) {
      yield* listShard(store, `${status}#${shard}`, until)
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
