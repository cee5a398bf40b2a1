import { DEFAULT_RETENTION_MS, ttlAt } from '../../../base/limits/lifetime.ts'
import { isoTime } from '../../../base/time.ts'
import type { Update } from '../../store/store.ts'
import { INDEX_ATTRIBUTES, indexed } from '../statusIndex.ts'
import { asJudged, tokenKeyOf } from './claimWrites.ts'
import { ownedBy } from './ownedBy.ts'
import { complete, release } from './settleWrites.ts'
import type { Token } from './token.ts'

/** How a key ends, and what later callers receive. */
export interface KeyEnd {
  /** The attributes that hold the result: `result`, `resultIn`, `notKept` or `error`. */
  readonly set: Readonly<Record<string, string>>
  readonly now: number
  /** Milliseconds; Infinity: the key never becomes free again. */
  readonly retention: number
}

/** Epoch seconds; no attribute when the item has to stay for ever. */
export function ttlOf({ now, retention }: Pick<KeyEnd, 'now' | 'retention'>): { ttl?: number } {
  return retention === Infinity ? {} : { ttl: ttlAt(now + retention) }
}

/**
 * Completes a key. In addition to what completes a request, it removes the token from the status index, where also a first attempt may
 * be listed: a lock token is from the start, and the search of the sweeper lists one that it takes for lost.
 */
export function completeKey(token: Token, end: KeyEnd): Update {
  const { set: { ttl: _ttl, ...set } = {}, remove = [], ...update } = complete(token, end.now, 0)
  return {
    ...update,
    set: { ...set, ...ttlOf(end), ...end.set },
    remove: [...new Set([...remove, ...INDEX_ATTRIBUTES, ...ofFencedCall(token)])].filter(
      (name) => !(name in end.set),
    ),
  }
}

function ofFencedCall({ since }: Token): readonly string[] {
  return since === undefined ? [] : ['since', 'aliveUntil']
}

/**
 * Parks a key that failed or whose outcome is unknown: it never runs again by itself. It has no `ttl`, because it waits for an
 * operator.
 */
export function parkKey(
  token: Token,
  status: 'error' | 'unknown',
  { error, stack }: { readonly error: string; readonly stack: string },
  now: number,
): Update {
  return {
    key: tokenKeyOf(token),
    where: ownedBy(token),
    set: {
      status,
      error,
      ...(stack !== '' && { stack }),
      actualCompletion: isoTime(now),
      ...indexed(token.pk, status, now),
    },
    remove: ['leaseUntil'],
  }
}

/**
 * Parks a key that no caller may take over (`takeOver: false`), and whose holder has ended without a word. If the holder lives after
 * all, its end is still stored.
 */
export function parkSilentKey(token: Token, now: number): Update {
  return {
    key: tokenKeyOf(token),
    where: asJudged(token),
    set: { status: 'unknown', error: SILENT, ...indexed(token.pk, 'unknown', now) },
    remove: ['leaseUntil'],
  }
}

const SILENT =
  'its holder has died, or runs longer than it said: whether the work was done is not known'

/**
 * Frees the key at once for the next caller, who may bring another payload: a request that was refused because it was wrong can
 * be sent again, corrected. The item and its fence stay for the retention, as after any end, because there may never be another
 * caller.
 */
export function freeKey(token: Token, end: Pick<KeyEnd, 'now' | 'retention'>): Update {
  const { set: { statusShard: _shard, dueAt: _due, ...set } = {}, ...update } = release(
    token,
    end.now,
  )
  return {
    ...update,
    set: { ...set, ...ttlOf(end), ...(token.parksAfterLease && { status: 'inProgress' }) },
    remove: [...INDEX_ATTRIBUTES, 'payloadHash', ...(token.parksAfterLease ? ['error'] : [])],
  }
}

/**
 * Frees a key whose attempt has made effects that are kept. They belong to this payload, so the next caller must bring the same
 * one: otherwise effects of two payloads would be mixed.
 */
export function freeBoundKey(token: Token, end: Pick<KeyEnd, 'now' | 'retention'>): Update {
  const { set, ...update } = freeKey(token, end)
  // @protects effects of two payloads are not mixed under one key
  // @without { ...update, set, remove: [...INDEX_ATTRIBUTES, 'payloadHash'] } @tests test/call/invocation
  return { ...update, set: { ...set, attempt: token.attempt }, remove: [...INDEX_ATTRIBUTES] }
}

/** A sign of life of a holder that is still running, for a retry of its own Lambda request. */
export function showAlive(token: Token, aliveUntil: number): Update {
  return { key: tokenKeyOf(token), where: ownedBy(token), set: { aliveUntil } }
}

interface Renewal {
  readonly leaseUntil: number
  readonly expectedCompletion: number
  /** Whether its claim has listed it in the status index. */
  readonly isListed: boolean
}

/**
 * Extends the lease of a holder that is still running. The write requires the lease that the holder knows, so it cannot take back
 * a key that it has freed or lost. A key that is listed in the index gets its new due time. An entry that the sweeper added too
 * early, because its clock is ahead, is removed; so is the `ttl` of a holder that the sweeper took for dead, because DynamoDB
 * would delete a key that is held.
 */
export function renewKey(
  token: Token,
  { leaseUntil, expectedCompletion, isListed }: Renewal,
): Update {
  return {
    key: tokenKeyOf(token),
    // @protects a renewal does not take back a key that was freed
    // @without ownedBy(token)
    where: [...ownedBy(token), { field: 'leaseUntil', is: '=', value: token.leaseUntil }],
    set: {
      leaseUntil,
      expectedCompletion: isoTime(expectedCompletion),
      ...(isListed && indexed(token.pk, 'inProgress', expectedCompletion)),
    },
    remove: isListed ? ['ttl'] : ['ttl', ...INDEX_ATTRIBUTES],
  }
}

/**
 * Ends a key whose holder is dead and that no caller has used since: it leaves the status index, and DynamoDB deletes it after
 * its `ttl`, so that such keys do not accumulate. A caller who comes before that takes over as from any dead holder. Only for
 * items whose lease expired long ago. `dueAt` stays without its shard, so that the search of the sweeper does not list it again.
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
    remove: ['statusShard'],
  }
}

/** The result could not be stored: later callers receive the reason instead. */
export function withoutResult(token: Token, why: string): Update {
  return {
    key: tokenKeyOf(token),
    where: [{ field: 'attemptId', is: '=', value: token.attemptId }, { absent: 'status' }],
    set: { resultIn: 'none', notKept: why },
  }
}
