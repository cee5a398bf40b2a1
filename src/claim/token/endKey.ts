import { isoTime } from '../../isoTime.ts'
import type { Update } from '../../store/store.ts'
import { INDEX_ATTRIBUTES, indexed } from '../statusIndex.ts'
import { tokenKeyOf } from './claimWrites.ts'
import { complete, release, ownedBy } from './settleWrites.ts'
import type { Token } from './token.ts'

/** How a key ends, and what later callers get. */
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
    remove: [...new Set([...remove, ...INDEX_ATTRIBUTES])].filter((name) => !(name in end.set)),
  }
}

/** Failed, or of unknown outcome: it never runs again by itself. No `ttl`: it waits for an operator. */
export function parkKey(
  token: Token,
  status: 'error' | 'unknown',
  error: string,
  now: number,
): Update {
  return {
    key: tokenKeyOf(token),
    where: ownedBy(token),
    set: {
      status,
      error,
      actualCompletion: isoTime(now),
      ...indexed(token.pk, status, now),
    },
    remove: ['leaseUntil'],
  }
}

/**
 * Free for the next caller, at once, and for another payload too: a request that was refused for what was wrong with it comes
 * again corrected. The item and its fence stay as long as an end would: no caller may ever come.
 */
export function freeKey(token: Token, end: Pick<KeyEnd, 'now' | 'retention'>): Update {
  const { set: { statusShard: _shard, dueAt: _due, ...set } = {}, ...update } = release(
    token,
    end.now,
  )
  return { ...update, set: { ...set, ...ttlOf(end) }, remove: [...INDEX_ATTRIBUTES, 'payloadHash'] }
}

/** The holder runs on. Only while its lease is the one it knows: a key that it has freed, or lost, is not taken back. */
export function renewKey(token: Token, leaseUntil: number, expectedCompletion: number): Update {
  return {
    key: tokenKeyOf(token),
    where: [...ownedBy(token), { field: 'leaseUntil', is: '=', value: token.leaseUntil }],
    set: {
      leaseUntil,
      expectedCompletion: isoTime(expectedCompletion),
      ...indexed(token.pk, 'inProgress', expectedCompletion),
    },
  }
}

/**
 * Its holder is dead, and no caller has used it since: out of the status index, and deleted in the end, so that such keys do not
 * gather. A caller who comes before takes over as from any dead holder. For items whose lease has long been over.
 */
export function expireKey(token: Token, now: number): Update {
  const { retention = DEFAULT_RETENTION_MS } = token
  return {
    key: tokenKeyOf(token),
    where: [
      ...ownedBy(token),
      { field: 'leaseUntil', is: '=', value: token.leaseUntil },
      { field: 'leaseUntil', is: '<=', value: now },
    ],
    set: ttlOf({ now, retention }),
    remove: INDEX_ATTRIBUTES,
  }
}

/** For keys that 0.1.0 has claimed, which do not store their retention. */
export const DEFAULT_RETENTION_MS: number = 30 * 86_400_000

/** The result could not be stored: later callers get the reason instead. */
export function withoutResult(token: Token, why: string): Update {
  return {
    key: tokenKeyOf(token),
    where: [{ field: 'attemptId', is: '=', value: token.attemptId }, { absent: 'status' }],
    set: { resultIn: 'none', notKept: why },
  }
}
