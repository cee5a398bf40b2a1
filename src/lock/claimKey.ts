import { RetryableError, StoreUnavailableError } from '../errors.ts'
import type { Item, ReadOutcome, Store, Update, WriteOutcome } from '../store/store.ts'
import { indexed, newToken, restart, takeOver } from './claimWrites.ts'
import { type ClaimRequest, decideClaim, type Verdict } from './decideClaim.ts'
import { readToken, type Token } from './token.ts'

/** What stands in the way of a claim: an attempt that runs, an end, or another payload. */
export type Hindrance = Exclude<Verdict, { kind: 'start' | 'mine' | 'takeOver' }>

export type KeyClaim =
  | { readonly kind: 'claimed'; readonly token: Token; readonly item: Item }
  | { readonly kind: 'taken'; readonly by: Hindrance; readonly item: Item }
  | { readonly kind: 'failed'; readonly error: Error }

export type KeyRequest = Pick<
  ClaimRequest,
  'pk' | 'attemptId' | 'lockedBy' | 'leaseUntil' | 'expectedCompletion' | 'payloadHash'
>

/** A rival that changes the token between look and write costs a round. */
const ROUNDS = 5

/** Claims the token of one key: one write, and one more when the key was used before and is free again. */
export async function claimKey(store: Store, key: KeyRequest, now: number): Promise<KeyClaim> {
  return claimAsSeen(store, key, { kind: 'found', item: undefined }, now)
}

/** The same, from what a read or a refused write has shown. */
export async function claimAsSeen(
  store: Store,
  key: KeyRequest,
  seen: WriteOutcome | ReadOutcome,
  now: number,
  rounds: number = ROUNDS,
): Promise<KeyClaim> {
  if (seen.kind === 'failed') return seen
  const { item } = seen
  const token = item && readToken(item)
  if (item !== undefined && token === undefined) return unreadable(key)
  const request = requestOf(key)
  const verdict = decideClaim(token, request, now)
  if (item !== undefined && verdict.kind === 'mine') {
    return { kind: 'claimed', token: verdict.token, item }
  }
  if (item !== undefined && verdict.kind !== 'start' && verdict.kind !== 'takeOver') {
    return verdict.kind === 'mine' ? unreadable(key) : { kind: 'taken', by: verdict, item }
  }
  if (rounds === 0) return contended(key)
  const outcome = await write(store, verdict, request, now)
  return outcome.kind === 'applied'
    ? claimed(key, outcome.item)
    : claimAsSeen(store, key, outcome, now, rounds - 1)
}
