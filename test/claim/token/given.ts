import type { ClaimRequest } from '../../../src/library/protocol/claim/token/decideClaim.ts'
import { itemStore } from '../../../src/library/protocol/claim/itemStore.ts'
import {
  claimToken,
  type TokenClaim,
  type TokenRequest,
} from '../../../src/library/protocol/claim/token/claimToken.ts'
import { writeOfMessage } from '../../../src/library/protocol/claim/token/claimWrites.ts'
import type { Store } from '../../../src/library/protocol/store/store.ts'
import type { Token } from '../../../src/library/protocol/claim/token/token.ts'

export const NOW: number = Date.UTC(2026, 0, 1)
export const PK = 'lock#orders/r-1'

/** A token that is held live by another attempt, unless said otherwise. */
export function token(given: Partial<Token> = {}): Token {
  return {
    pk: PK,
    status: 'inProgress',
    attemptId: 'theirs',
    attempt: 1,
    fence: 1,
    leaseUntil: NOW + 1,
    notBefore: 0,
    resendNumber: 0,
    confirmed: false,
    death: 0,
    reason: undefined,
    error: undefined,
    payloadHash: 'hash',
    ttl: undefined,
    retention: undefined,
    applied: new Set(),
    calls: new Map(),
    ...given,
  }
}

/** A first delivery, unless said otherwise. */
export function request(given: Partial<ClaimRequest> = {}): ClaimRequest {
  return {
    pk: PK,
    attemptId: 'mine',
    lockedBy: 'orders/lambda-1',
    leaseUntil: NOW + 60_000,
    expectedCompletion: NOW + 60_000,
    maxAttempts: 3,
    payloadHash: 'hash',
    trustsUnhashed: false,
    resendNumber: 0,
    death: undefined,
    deadLetter: false,
    refused: false,
    ...given,
  }
}

/** Claims together, as a consumer does with the records of a batch. */
export function claimTokens(
  store: Store,
  requests: readonly TokenRequest[],
  now: number,
): Promise<TokenClaim[]> {
  const items = itemStore(store)
  return Promise.all(requests.map((each) => claimToken(items, each, now)))
}

export function claimant(given: Partial<TokenRequest> = {}): TokenRequest {
  return {
    ...request(),
    readFirst: false,
    refusal: undefined,
    ofMessage: writeOfMessage,
    ahead: false,
    ...given,
  }
}
