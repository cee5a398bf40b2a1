// @acts

import type { Store, StoreKey } from '../../../protocol/store/store.ts'
import { itemOf, loadItems, readItems } from '../due/listDue.ts'
import { lastPauseId, PAUSE_SHARD, type Pause, pauseKey, readPause } from './pauseRow.ts'

const PAGE = 1_000

/**
 * Pauses that end before `until`, the earliest end first; without it all of them. One query of the status index, which may be a
 * second old, and a consistent read of what it shows.
 * @param leave is called for each that this version does not know
 * @throws StoreUnavailableError
 */
export async function listPauses(
  store: Store,
  until: number = Number.MAX_SAFE_INTEGER,
  leave: (error: Error) => void = () => {},
): Promise<readonly Pause[]> {
  const keys: StoreKey[] = []
  let after: string | undefined
  do {
    const page = await store.due({ statusShard: PAUSE_SHARD, until, most: PAGE, after })
    if (page.kind === 'failed') throw page.error
    keys.push(...page.keys.map(({ pk, sk }) => ({ pk, sk })))
    after = page.next
  } while (after !== undefined)
  if (keys.length === 0) return []
  return (await readItems(store, keys)).flatMap((seen) => readPause(itemOf(seen, leave)) ?? [])
}

/**
 * Pauses that the sweeper ends: their time is over, or their resume was begun and not finished.
 * @throws StoreUnavailableError
 */
export async function pausesToEnd(
  store: Store,
  now: number,
  leave?: (error: Error) => void,
): Promise<readonly Pause[]> {
  const listed = await listPauses(store, now, leave)
  return listed.filter(
    ({ state, until }) => state === 'resuming' || (until !== undefined && until <= now),
  )
}

/** What a mapping was paused by. */
interface LastPause {
  /** undefined: it is not paused. */
  readonly pause: Pause | undefined
  /** Id of the last pause, even if it has ended. undefined: it was never paused. */
  readonly lastId: string | undefined
}

/** @throws StoreUnavailableError */
export async function loadPauses(
  store: Store,
  mappings: readonly string[],
): Promise<readonly LastPause[]> {
  if (mappings.length === 0) return []
  const items = await loadItems(store, mappings.map(pauseKey))
  return items.map((item) => ({ pause: readPause(item), lastId: lastPauseId(item) }))
}
