import { isoTime } from '../isoTime.ts'
import type { Update } from '../store/store.ts'
import { indexed, keyOf } from './claimWrites.ts'
import { complete, release, whileMine } from './settleWrites.ts'
import type { Token } from './token.ts'

const LISTED = ['statusShard', 'dueAt']

/** How a key ends: with what later callers are told. */
export interface KeyEnd {
  /** Attributes that say it: `result`, `resultIn`, `notKept` or `error`. */
  readonly set: Readonly<Record<string, string>>
  readonly now: number
  /** Milliseconds; Infinity: the key is never free again. */
  readonly retention: number
}

/** Epoch seconds; nothing when the item is to stay for ever. */
export function ttlOf({ now, retention }: Pick<KeyEnd, 'now' | 'retention'>): { ttl?: number } {
  return retention === Infinity ? {} : { ttl: Math.ceil((now + retention) / 1_000) }
}

/** As the end of a request; the token of a key is in the status index from its first attempt on, and has to leave it. */
export function completeKey(token: Token, end: KeyEnd): Update {
  const { set: { ttl: _ttl, ...set } = {}, remove = [], ...update } = complete(token, end.now, 0)
  return {
    ...update,
    set: { ...set, ...ttlOf(end), ...end.set },
    remove: [...new Set([...remove, ...LISTED])].filter((name) => !(name in end.set)),
  }
}

/** Ended for now, and never again by itself. No `ttl`: it waits for a person. */
export function parkKey(
  token: Token,
  status: 'error' | 'unknown',
  error: string,
  now: number,
): Update {
  return {
    key: keyOf(token),
    where: whileMine(token),
    set: {
      status,
      error,
      actualCompletion: isoTime(now),
      ...indexed(token.pk, status, now),
    },
    remove: ['leaseUntil'],
  }
}

/** Free for the next caller, at once. The item and its fence stay as long as an end would: nobody may come again. */
export function freeKey(token: Token, end: Pick<KeyEnd, 'now' | 'retention'>): Update {
  const { set: { statusShard: _shard, dueAt: _due, ...set } = {}, ...update } = release(
    token,
    end.now,
  )
  return { ...update, set: { ...set, ...ttlOf(end) }, remove: LISTED }
}
