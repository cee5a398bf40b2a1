// @acts

import { RetryableError } from '../../../base/errors.ts'
import { onlyOutcome, type Item, type Store, asFailed } from '../../store/store.ts'
import { MAX_ROUNDS } from '../decideAndWrite.ts'
import { indexed } from '../statusIndex.ts'
import { damaged } from '../../store/format.ts'
import type { ItemStore } from '../itemStore.ts'
import { claimToken, type TokenClaim, type TokenRequest } from './claimToken.ts'
import type { ClaimRequest, FencedCall } from './decideClaim.ts'
import { PARKED } from './token.ts'

export interface KeyRequest extends Pick<
  ClaimRequest,
  'pk' | 'attemptId' | 'lockedBy' | 'leaseUntil' | 'expectedCompletion' | 'payloadHash'
> {
  /** Milliseconds; Infinity: the key never becomes free again. */
  readonly retention: number
  /** Whether the status index lists its first attempt, too. Otherwise it is listed when it is lost, by the search of the sweeper. */
  readonly listedAtOnce: boolean
  /** No caller follows a holder that has ended without a word: when its lease is over, the token is parked. Default: false. */
  readonly parksAfterLease?: boolean
  /** undefined: the effects of the call do not go through `ctx`, so nothing fences them. */
  readonly fenced?: FencedCall | undefined
}

export type KeyClaim =
  | Extract<TokenClaim, { readonly kind: 'claimed' | 'failed' }>
  | (Extract<TokenClaim, { readonly kind: 'taken' }> & { readonly item: Item })

/**
 * Claims the token of one key.
 * @param readFirst another call holds it, so a read, which costs half of a refused write, comes first
 */
export async function claimKey(
  store: Store,
  key: KeyRequest,
  now: number,
  readFirst = false,
): Promise<KeyClaim> {
  const claim = await claimToken(alone(store), requestOf(key, readFirst), now)
  switch (claim.kind) {
    case 'claimed':
    case 'failed':
      return claim
    case 'taken': {
      const { item } = claim
      return item === undefined ? contended(key) : { ...claim, item }
    }
    case 'deadLettering':
    case 'silent':
      return asFailed(damaged({ pk: key.pk, sk: 'token' }))
  }
}

/** A call has nothing to share with others: it waits for no turn. */
function alone(store: Store): Omit<ItemStore, 'upsert' | 'updateBeside'> {
  return {
    create: async (item) => onlyOutcome(await store.create([item])),
    update: async (update) => onlyOutcome(await store.update([update])),
    read: async (key) => onlyOutcome(await store.read([key], { consistent: true })),
    look: async (key) => onlyOutcome(await store.read([key])),
  }
}

/** A key has no message: no copy can arrive later, and there is no retry budget. */
function requestOf(key: KeyRequest, readFirst: boolean): TokenRequest {
  return {
    ...key,
    parksAfterLease: key.parksAfterLease === true,
    own: (since) => ownAttributes(key, since),
    trustsUnhashed: true,
    maxAttempts: Infinity,
    resendNumber: 0,
    death: undefined,
    deadLetter: false,
    refused: false,
    readFirst,
    ahead: false,
  }
}

function ownAttributes(
  {
    pk,
    expectedCompletion,
    payloadHash,
    retention,
    listedAtOnce,
    parksAfterLease,
    fenced,
  }: KeyRequest,
  since: number,
): Readonly<Record<string, string | number>> {
  return {
    ...(listedAtOnce && indexed(pk, 'inProgress', expectedCompletion)),
    ...(payloadHash === undefined ? {} : { payloadHash }),
    retention: retention === Infinity ? 'forever' : retention,
    ...(parksAfterLease === true && { afterLease: PARKED }),
    ...(fenced && { since }),
    ...(fenced?.aliveUntil !== undefined && { aliveUntil: fenced.aliveUntil }),
  }
}

function contended({ pk }: KeyRequest): KeyClaim {
  const error = new RetryableError(
    `other callers changed the token ${pk} ${MAX_ROUNDS} times in the meantime: nothing was run, try again`,
  )
  return { kind: 'failed', error }
}
