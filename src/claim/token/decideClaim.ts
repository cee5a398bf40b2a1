import { isSameBody, isSameRequest } from '../../record/message/samePayload.ts'
import { isNamesake } from './claimedBy.ts'
import type { Token } from './token.ts'

/** What a delivery brings to the claim. All times are epoch milliseconds. */
export interface ClaimRequest {
  readonly pk: string
  readonly attemptId: string
  readonly lockedBy: string
  readonly leaseUntil: number
  /** Which consumer, from which queue. undefined: it is not known, or not asked. */
  readonly by?: string | undefined
  readonly expectedCompletion: number
  readonly maxAttempts: number
  /** undefined: the payload is not compared. */
  readonly payloadHash: string | undefined
  /** A token that keeps no hash may be of the same payload. */
  readonly trustsUnhashed: boolean
  /** Which re-send this copy is; 0 for the first sending. */
  readonly retry: number
  /** The number of the death, when this copy is a redriven dead letter. */
  readonly death: number | undefined
  /** It is a dead letter, not one of the copies that a retry makes: no newer copy stands for it. */
  readonly deadLetter: boolean
  /** The record may not run (schema, age): only its end is to be found. */
  readonly refused: boolean
}

export type TokenVerdict =
  /** No token, or one that has expired: begin. */
  | { readonly kind: 'start'; readonly expired: Token | undefined }
  /** Mine already: the answer to my own claim was lost. */
  | { readonly kind: 'mine'; readonly token: Token }
  /** The attempt before is dead, or its retry is due. */
  | { readonly kind: 'takeOver'; readonly token: Token }
  /** Its dead letter was redriven: a fresh retry budget; effects and results are kept. */
  | { readonly kind: 'reopen'; readonly token: Token }
  /** May not run any more, and no live attempt is dead-lettering it. */
  | {
      readonly kind: 'deadLetter'
      readonly token: Token
      readonly because: 'exhausted' | 'rejected' | 'dying'
    }
  /** May not run, and no token stands in the way of saying so. */
  | { readonly kind: 'refuse' }
  | { readonly kind: 'held'; readonly until: number }
  | { readonly kind: 'early'; readonly until: number }
  /** A newer copy is on the queue for certain: this one has no job left. */
  | { readonly kind: 'replaced' }
  | { readonly kind: 'duplicate' }
  | { readonly kind: 'alreadyDeadLettered'; readonly reason: string | undefined }
  /** Same identity, other payload, or another consumer of the same name: neither run nor dropped. */
  | { readonly kind: 'conflict'; readonly because: 'payload' | 'name' }

/** The whole rule of the claim, in one place. The write that follows is conditional on exactly the token judged here. */
export function decideClaim(
  token: Token | undefined,
  request: ClaimRequest,
  now: number,
): TokenVerdict {
  if (token === undefined || hasExpired(token, now)) {
    return request.refused ? { kind: 'refuse' } : { kind: 'start', expired: token }
  }
  if (token.attemptId === request.attemptId && token.status === 'inProgress') {
    return { kind: 'mine', token }
  }
  if (isOfNamesake(token, request)) return { kind: 'conflict', because: 'name' }
  if (!isSameRequest(token.payloadHash, request)) return { kind: 'conflict', because: 'payload' }
  if (isRedriven(token, request)) {
    if (!isSameBody(token.payloadHash, request.payloadHash))
      return { kind: 'conflict', because: 'payload' }
    return request.refused ? { kind: 'refuse' } : { kind: 'reopen', token }
  }
  switch (token.status) {
    case 'complete':
      return { kind: 'duplicate' }
    case 'error':
    case 'unknown':
      return { kind: 'alreadyDeadLettered', reason: token.reason }
    case 'dying':
      return token.leaseUntil > now && token.attemptId !== request.attemptId
        ? { kind: 'held', until: token.leaseUntil }
        : { kind: 'deadLetter', token, because: 'dying' }
    case 'inProgress':
      return decideUnfinished(token, request, now)
  }
}

/** Copies and dead letters come from a consumer that had the claim: they may run wherever they are moved to. */
function isOfNamesake(token: Token, { by, retry, death }: ClaimRequest): boolean {
  return retry === 0 && death === undefined && isNamesake(token.by, by)
}

function decideUnfinished(token: Token, request: ClaimRequest, now: number): TokenVerdict {
  if (token.leaseUntil > now) return { kind: 'held', until: token.leaseUntil }
  if (isReplaced(token, request)) return { kind: 'replaced' }
  if (request.refused) return { kind: 'deadLetter', token, because: 'rejected' }
  if (token.notBefore > now) return { kind: 'early', until: token.notBefore }
  if (token.attempt >= request.maxAttempts)
    return { kind: 'deadLetter', token, because: 'exhausted' }
  return { kind: 'takeOver', token }
}

/** TTL deletes days late, so expiry is judged here and never by absence. */
function hasExpired(token: Token, now: number): boolean {
  return token.status === 'complete' && token.ttl !== undefined && token.ttl * 1_000 <= now
}

function isRedriven(token: Token, request: ClaimRequest): boolean {
  if (token.status !== 'error' && token.status !== 'unknown') return false
  return request.death === token.death
}

/** A dead letter is never taken for the older copy of a retry: an operator redrove it, and the copy may be gone. */
function isReplaced(token: Token, request: ClaimRequest): boolean {
  if (request.deadLetter) return false
  return token.leaseUntil === 0 && token.confirmed && request.retry < token.resendNumber
}

/**
 * The last attempt was killed, or ran out of time, or never began: nothing was written at its end. Each end that writes sets
 * the lease to 0.
 */
export function endedSilently(token: Token): boolean {
  return token.status === 'inProgress' && token.leaseUntil !== 0
}
