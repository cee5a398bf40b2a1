import { hasExpired } from '../../../base/limits/lifetime.ts'
import { compareBodies, hidesPayload, isSameRequest } from '../../record/message/message.ts'
import { isNamesake } from './claimedBy.ts'
import type { NotNow, Over, Replaced } from '../unclaimed.ts'
import type { Token } from './token.ts'

/** The request of one delivery, as the claim sees it. All times are epoch milliseconds. */
export interface ClaimRequest {
  readonly pk: string
  readonly attemptId: string
  readonly lockedBy: string
  readonly leaseUntil: number
  /** Identifies the consumer and its queue. undefined: not known, or not to be compared. */
  readonly by?: string | undefined
  readonly expectedCompletion: number
  readonly maxAttempts: number
  /** undefined: payloads are not compared. */
  readonly payloadHash: string | undefined
  /** Whether a token without a hash counts as having the same payload. */
  readonly trustsUnhashed: boolean
  /** The number of the resend that made this copy; 0 for the original message. */
  readonly resendNumber: number
  /** The number of the death, when this message is a redriven dead letter. */
  readonly death: number | undefined
  /** The message is a dead letter, not a copy made for a retry: no newer copy can replace it. */
  readonly deadLetter: boolean
  /** The record may not run (schema, age). The claim only finds out how the request ended. */
  readonly refused: boolean
  /** The reason for the dead letter if the record may not run. */
  readonly refusal?: { readonly reason: string; readonly error: string } | undefined
  /** Its consumer has `onFailure`. */
  readonly isTold?: boolean
  /** For keys only: what their token keeps beside. `since`: when the first attempt claimed the key, epoch milliseconds. */
  readonly own?: ((since: number) => Readonly<Record<string, string | number>>) | undefined
  /** For keys only: this caller does not follow a holder that has ended without a word. */
  readonly parksAfterLease?: boolean
  /** For keys only. undefined: the effects of the call do not go through `ctx`. */
  readonly fenced?: FencedCall | undefined
}

/** The part of a claim that is known only for calls whose effects go through `ctx`. */
export interface FencedCall {
  /** Until when this attempt counts as alive, epoch milliseconds. undefined: Lambda cannot retry this call as the same request. */
  readonly aliveUntil: number | undefined
}

export type TokenVerdict =
  /** There is no token, or it has expired: start. */
  | { readonly kind: 'start'; readonly expired: Token | undefined }
  /** This attempt has the claim already: the answer to its own claim was lost. */
  | { readonly kind: 'mine'; readonly token: Token }
  /** The last attempt is dead, or its retry is due. */
  | { readonly kind: 'takeOver'; readonly token: Token }
  /** The last holder of the key is dead, and no caller may follow it: the token is to be parked for an operator. */
  | { readonly kind: 'park'; readonly token: Token }
  /** The dead letter was redriven: the retry budget starts again; effects and results are kept. */
  | { readonly kind: 'reopen'; readonly token: Token }
  /** The request may no longer run, and no live attempt is dead-lettering it. */
  | {
      readonly kind: 'deadLetter'
      readonly token: Token
      readonly because: 'exhausted' | 'rejected' | 'dying'
    }
  /** The record may not run, and no token has to be fenced first. */
  | { readonly kind: 'refuse' }
  /** It was attempted before, and what that has done is not known any more: its token was deleted, or the table was restored. */
  | { readonly kind: 'lost' }
  | NotNow
  | Replaced
  | Over<'duplicate' | 'alreadyDeadLettered'>
  /** The same identity with another payload, or another consumer of the same name. The message is neither run nor dropped. */
  | { readonly kind: 'conflict'; readonly because: 'payload' | 'name' }

/** A verdict that only a message can get. */
export type MessageVerdict = Extract<TokenVerdict, { readonly kind: 'reopen' | 'deadLetter' }>

/** The complete rule of the claim. The write that follows is conditional on exactly the token that was judged here. */
export function decideClaim(
  token: Token | undefined,
  request: ClaimRequest,
  now: number,
): TokenVerdict {
  if (
    token === undefined ||
    (isForgotten(token, now) &&
      // @protects a record that has expired is no first time for its copy
      !wasClaimed(request))
  ) {
    if (request.refused && (wasClaimed(request) || !isDeath(request))) return { kind: 'refuse' }
    return wasClaimed(request) ? { kind: 'lost' } : { kind: 'start', expired: token }
  }
  // @protects a claim whose answer was lost is recognised as own
  if (token.attemptId === request.attemptId && isRunning(token)) {
    return { kind: 'mine', token }
  }
  // @protects two consumers of one name do not share a token
  if (isOfNamesake(token, request)) return { kind: 'conflict', because: 'name' }
  // @protects another payload under the same id is a conflict
  if (!isSameRequest(token.payloadHash, request)) return { kind: 'conflict', because: 'payload' }
  if (isRedriven(token, request, now)) {
    // @protects a redrive brings back the same bytes
    if (compareBodies(token.payloadHash, request.payloadHash) !== 'same')
      return { kind: 'conflict', because: 'payload' }
    return request.refused && !isFinal(token) ? { kind: 'refuse' } : { kind: 'reopen', token }
  }
  switch (token.status) {
    case 'complete':
      return { kind: 'over', as: 'duplicate', otherPayload: otherPayload(token, request) }
    case 'error':
    case 'unknown':
      return {
        kind: 'over',
        as: 'alreadyDeadLettered',
        reason: token.reason,
        otherPayload: otherPayload(token, request),
      }
    case 'dying':
      // @protects a record that is being dead-lettered is left to the attempt that does so
      // @without its else
      return token.leaseUntil > now && token.attemptId !== request.attemptId
        ? { kind: 'held', until: token.leaseUntil }
        : { kind: 'deadLetter', token, because: 'dying' }
    case 'inProgress':
      return decideUnfinished(token, request, now)
    case 'ending':
      return request.isTold === true
        ? decideUnfinished(token, { ...request, refused: false, maxAttempts: Infinity }, now)
        : { kind: 'over', as: 'alreadyDeadLettered', reason: token.reason }
  }
}

/**
 * Whether a refused record that was never claimed dies as an attempt does, so that `onFailure` learns of it. One that is too old, or
 * has the id of another, may belong to a request that has completed.
 */
function isDeath({ isTold, refusal }: ClaimRequest): boolean {
  // @protects a message that may belong to a completed request is not reported as a death
  // @without isTold === true @tests test/deliver/onFailure
  return isTold === true && refusal?.reason === 'rejected'
}

/** Whether `id(payload)` has given one id to two different payloads, of which this one will not run. */
function otherPayload({ payloadHash }: Token, request: ClaimRequest): true | undefined {
  return hidesPayload(payloadHash, request.payloadHash) ? true : undefined
}

/**
 * Whether the token belongs to another consumer of the same name. Copies and dead letters are exempt: they come from a consumer
 * that had the claim, so they may run on any queue they are moved to.
 */
function isOfNamesake(token: Token, { by, resendNumber, death }: ClaimRequest): boolean {
  return resendNumber === 0 && death === undefined && isNamesake(token.by, by)
}

function decideUnfinished(token: Token, request: ClaimRequest, now: number): TokenVerdict {
  // @protects a live lease is respected
  if (token.leaseUntil > now) {
    return isDead(token, request, now)
      ? { kind: 'takeOver', token }
      : { kind: 'held', until: token.leaseUntil }
  }
  // @protects the token of a dead holder that nothing may follow is parked @tests test/call/takeOver
  if (endedSilently(token) && (token.parksAfterLease || request.parksAfterLease === true)) {
    return { kind: 'park', token }
  }
  if (isReplaced(token, request)) {
    return { kind: 'replaced', otherPayload: otherPayload(token, request) }
  }
  if (request.refused) return { kind: 'deadLetter', token, because: 'rejected' }
  // @protects a retry does not begin before its time
  if (token.notBefore > now) return { kind: 'early', until: token.notBefore }
  // @protects executions are limited
  if (token.attempt >= request.maxAttempts)
    return { kind: 'deadLetter', token, because: 'exhausted' }
  return { kind: 'takeOver', token }
}

/**
 * Copies for retries and dead letters of an attempt are sent after its claim was written. A message that may still run is younger than
 * the retention, so that its token cannot have expired.
 */
function wasClaimed({ resendNumber, death }: ClaimRequest): boolean {
  // @protects a missing record is not a first time
  // @without false
  return plausibleRetry(resendNumber) > 0 || death !== undefined
}

/** No request is resent so often. A larger number is forged, and counting on from it would make the next copy unreadable. */
const MAX_RETRIES = 10_000

export function plausibleRetry(resendNumber: number): number {
  return resendNumber > MAX_RETRIES ? 0 : resendNumber
}

/** What waits for an operator, or has a live holder, is not forgotten. A key whose holder is dead, or that was freed, is. */
function isForgotten(token: Token, now: number): boolean {
  const { status, leaseUntil, ttl } = token
  const mayExpire =
    status === 'inProgress' ? leaseUntil <= now : status === 'complete' || isFinal(token)
  return mayExpire && hasExpired(ttl, now)
}

function isFinal({ ending }: Token): boolean {
  return ending?.final === true
}

/**
 * A redrive takes over an `onFailure` that rests. Once a final death was reported nothing runs any more; before, its letter lets
 * `onFailure` try again.
 */
function isRedriven(token: Token, request: ClaimRequest, now: number): boolean {
  const { status, leaseUntil, ending } = token
  const rests = status === 'error' || status === 'unknown'
  if (isFinal(token)) {
    // @protects a request whose death is final does not run again
    // @without rests @tests test/deliver/onFailure
    const isUntold = rests && ending?.untold !== undefined && request.deadLetter
    if (!isUntold) return false
  } else if (
    !rests &&
    // @protects a redrive waits for an onFailure that runs
    // @without status !== 'ending' @tests test/deliver/onFailure
    (status !== 'ending' || leaseUntil > now)
  ) {
    return false
  }
  // @protects only the dead letter of the last death reopens a request
  // @without true
  return request.death === token.death
}

/** Whether a newer copy replaces this one. Never true of a dead letter: an operator redrove it, and the newer copy may be gone. */
function isReplaced(token: Token, request: ClaimRequest): boolean {
  // @protects a dead letter that was redriven is not dropped for a copy
  if (request.deadLetter) return false
  return (
    token.leaseUntil === 0 &&
    // @protects an older copy is dropped only when the newer one is surely on the queue
    token.confirmed &&
    request.resendNumber < token.resendNumber
  )
}

/**
 * The last attempt was killed, ran out of time or never began, so nothing was written at its end. Every end that is written sets
 * the lease to 0.
 */
export function endedSilently(token: Token): boolean {
  return isRunning(token) && token.leaseUntil !== 0
}

/** An attempt of the request, or of its `onFailure`, is live or due. */
function isRunning({ status }: Token): boolean {
  return status === 'inProgress' || status === 'ending'
}

/**
 * Lambda retries an asynchronous invocation under the same request id, one and two minutes after it failed, and never again.
 * With the lease of a killed attempt that had many minutes left, both retries would be refused and the event would be lost to the
 * function. So a retry of the same request takes over as soon as the holder has given no sign of life for half a minute. A
 * request id alone proves nothing, because Lambda may deliver an event twice without an error.
 *
 * This cannot be wrong in a way that matters: if the holder is alive after all, the takeover has fenced its writes, and a call
 * that may not simply be repeated begins with a write.
 */
function isDead({ aliveUntil, lockedBy }: Token, request: ClaimRequest, now: number): boolean {
  if (aliveUntil === undefined || request.fenced?.aliveUntil === undefined) return false
  return (
    // @protects another request waits for the lease of a killed attempt
    // @tests test/call/invocation
    lockedBy === request.lockedBy &&
    // @protects a retry of the same Lambda request waits for the last sign of life
    // @tests test/call/invocation
    aliveUntil <= now
  )
}
