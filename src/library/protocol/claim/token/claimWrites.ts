import { ttlAt } from '../../../base/limits/lifetime.ts'
import { isoTime } from '../../../base/time.ts'
import type { Condition, Item, StoreKey, Update } from '../../store/store.ts'
import type { ClaimRequest, MessageVerdict } from './decideClaim.ts'
import { hashToKeep } from '../../record/message/message.ts'
import { INDEX_ATTRIBUTES, indexed } from '../statusIndex.ts'
import { CALL_PREFIX, ENDED_PREFIX, type Token } from './token.ts'

/** The attributes that every kind of claim writes. */
function claimOf(request: ClaimRequest, now: number): Record<string, string | number> {
  return {
    attemptId: request.attemptId,
    leaseUntil: request.leaseUntil,
    lockedBy: request.lockedBy,
    ...(request.by === undefined ? {} : { by: request.by }),
    created: isoTime(now),
    expectedCompletion: isoTime(request.expectedCompletion),
  }
}

function hashOf(request: ClaimRequest, before?: string): { payloadHash?: string } {
  const payloadHash = hashToKeep(before, request.payloadHash)
  return payloadHash === undefined || payloadHash === before ? {} : { payloadHash }
}

/** First claim of a request. The token is not in the status index, so a first attempt that ends well costs no index writes. */
export function newToken(request: ClaimRequest, now: number): Item & StoreKey {
  return {
    pk: request.pk,
    sk: 'token',
    status: 'inProgress',
    attempt: 1,
    fence: 1,
    ...claimOf(request, now),
    ...hashOf(request),
    ...(request.own && { fence: firstFence(now), ...request.own(now) }),
  }
}

/**
 * The first fence of a key is the time, not 1. A token that DynamoDB has deleted starts again, and its fence must be above every
 * fence that the user's rows hold from its earlier lives. Each claim adds 1, and no key is claimed every millisecond.
 */
function firstFence(now: number): number {
  // @protects the first fence of a key is above those of its earlier lives
  // @without 1 @tests test/call/lockTokens
  return now
}

/**
 * A request that was never claimed, and has ended: the token is created together with the effects, so it is their only mark.
 * Remembered for `retention` milliseconds.
 */
export function endedToken(request: ClaimRequest, now: number, retention: number): Item & StoreKey {
  const { status: _running, leaseUntil: _lease, ...ended } = newToken(request, now)
  return {
    ...ended,
    pk: request.pk,
    sk: 'token',
    actualCompletion: isoTime(now),
    ttl: ttlAt(now + retention),
  }
}

/** A request that runs anew: its attempts are counted from 1. */
function anew(token: Token, request: ClaimRequest, now: number): Record<string, string | number> {
  return {
    status: 'inProgress',
    attempt: 1,
    // @protects the fence grows when an expired token starts again
    // @without 1
    fence: token.fence + 1,
    ...claimOf(request, now),
    ...hashOf(request),
  }
}

/** Starts an expired token again. The fence keeps growing, so that no old attempt passes for a new one. */
export function restart(expired: Token, request: ClaimRequest, now: number): Update {
  const update: Update = {
    key: tokenKeyOf(expired),
    where: asJudged(expired),
    set: {
      ...anew(expired, request, now),
    },
    remove: [
      // @protects a token that runs again is not deleted by its old ttl
      'ttl',
      'actualCompletion',
      'death',
      'sent',
      // @protects a new life does not inherit the marks of effects
      ...ofLastLife(expired),
    ],
  }
  return withOwn(update, request, now)
}

export function takeOver(token: Token, request: ClaimRequest, now: number): Update {
  const update: Update = {
    key: tokenKeyOf(token),
    where: asJudged(token),
    set: {
      // @protects a takeover counts as an attempt
      // @without its left
      attempt: token.attempt + 1,
      fence: token.fence + 1,
      ...claimOf(request, now),
      ...hashOf(request, token.payloadHash),
      ...indexed(token.pk, runningStatus(token), request.expectedCompletion),
    },
    remove: ['notBefore'],
  }
  return withOwn(
    update,
    request,
    // @protects a takeover keeps the time of the first attempt, which is in the ids of messages
    // @tests test/call/invocation
    token.since ?? now,
  )
}

/**
 * Adds what the token of a key keeps beside, and removes what the attempt before has left: if its `ttl` stayed on a token that runs
 * again, DynamoDB would delete a lock that is held.
 * @param since when the first attempt claimed the key, epoch milliseconds
 */
function withOwn(update: Update, request: ClaimRequest, since: number): Update {
  const own = request.own?.(since)
  if (own === undefined) return update
  const left = [...(update.remove ?? []), ...ENDED].filter((name) => !(name in own))
  return { ...update, set: { ...update.set, ...own }, remove: [...new Set(left)] }
}

const ENDED = [
  'ttl',
  'result',
  'resultIn',
  'notKept',
  'error',
  'stack',
  'aliveUntil',
  'since',
  'afterLease',
]

/**
 * Reopens a dead-lettered request, or the `onFailure` of one whose death is final. Effects and results of the dead attempts are kept,
 * so that a redrive repeats none of them.
 */
export function reopen(token: Token, request: ClaimRequest, now: number): Update {
  const isFinal = token.ending?.final === true
  const status = isFinal ? 'ending' : 'inProgress'
  return {
    key: tokenKeyOf(token),
    where: asJudged(token),
    set: {
      ...anew(token, request, now),
      status,
      ...indexed(token.pk, status, request.expectedCompletion),
    },
    remove: isFinal
      ? ['notBefore', 'confirmed', 'untold', 'actualCompletion']
      : [...OF_FAILURES, 'actualCompletion', ...(token.ending === undefined ? [] : ['untold'])],
  }
}

/** The status in which the next attempt runs: one of the request, or of its `onFailure`. */
export function runningStatus({ status }: Pick<Token, 'status'>): 'inProgress' | 'ending' {
  return status === 'ending' ? 'ending' : 'inProgress'
}

/**
 * Fences an attempt that may still be alive, before the dead letter is sent. Otherwise it could complete a request that is being
 * dead-lettered.
 */
export function takeOverToDeadLetter(
  token: Token,
  request: ClaimRequest,
  death: { readonly reason: string; readonly error: string },
): Update {
  const again = token.status === 'dying'
  return {
    key: tokenKeyOf(token),
    where: asJudged(token),
    set: {
      status: 'dying',
      attemptId: request.attemptId,
      fence: token.fence + 1,
      leaseUntil: request.leaseUntil,
      lockedBy: request.lockedBy,
      death: again ? token.death : token.death + 1,
      reason: again ? (token.reason ?? death.reason) : death.reason,
      error: again ? (token.error ?? death.error) : death.error,
      ...hashOf(request, token.payloadHash),
      ...indexed(token.pk, 'dying', request.expectedCompletion),
    },
  }
}

/** The write for a verdict that only a message can get. */
export function writeOfMessage(
  verdict: MessageVerdict,
  request: ClaimRequest,
  now: number,
): Update {
  return verdict.kind === 'reopen'
    ? reopen(verdict.token, request, now)
    : takeOverToDeadLetter(verdict.token, request, deathOf(verdict, request))
}

function deathOf(
  verdict: Extract<MessageVerdict, { readonly kind: 'deadLetter' }>,
  { refusal }: ClaimRequest,
): { reason: string; error: string } {
  const { attempt, error } = verdict.token
  if (verdict.because === 'rejected' && refusal !== undefined) {
    return error === undefined
      ? refusal
      : { ...refusal, error: `${refusal.error}; the attempt before failed with ${error}` }
  }
  return {
    reason: 'exhausted',
    error:
      `the last of ${attempt} attempts ended without an answer (killed or timed out)` +
      (error === undefined ? '' : `; an earlier attempt failed with ${error}`),
  }
}

/**
 * The token is unchanged since the verdict: each claim changes attemptId, each end the status, each resend and each release the
 * lease.
 */
export function asJudged(token: Token): Condition[] {
  // @protects a takeover replaces the attempt that was judged
  // @without []
  const seen: Condition[] = [{ field: 'attemptId', is: '=', value: token.attemptId }]
  if (token.status === 'complete') return [...seen, { absent: 'status' }]
  return [
    ...seen,
    // @protects a takeover replaces the status that was judged
    { field: 'status', is: '=', value: token.status },
    // @protects a takeover replaces the lease that was judged
    leaseIs(token.leaseUntil),
    // @protects a holder that has just given a sign of life is not taken over
    ...lastSignOfLife(token),
  ]
}

function lastSignOfLife({ aliveUntil }: Token): Condition[] {
  return aliveUntil === undefined ? [] : [{ field: 'aliveUntil', is: '=', value: aliveUntil }]
}

/** A missing lease is read as 0, so the condition accepts both. */
function leaseIs(leaseUntil: number): Condition {
  const same: Condition = { field: 'leaseUntil', is: '=', value: leaseUntil }
  return leaseUntil === 0 ? { any: [same, { absent: 'leaseUntil' }] } : same
}

export function tokenKeyOf({ pk }: { readonly pk: string }): StoreKey {
  return { pk, sk: 'token' }
}

function ofLastLife(expired: Token): string[] {
  return [...leftovers(expired), ...(expired.status === 'complete' ? [] : OF_RETRIES)]
}

export function leftovers({ calls, ending }: Token): string[] {
  const ofAct = [...(ending?.calls.keys() ?? [])].map((name) => ENDED_PREFIX + name)
  return [
    'applied',
    ...[...calls.keys()].map((name) => CALL_PREFIX + name),
    ...(ending === undefined ? [] : [...OF_ENDING, ...ofAct]),
  ]
}

const OF_ENDING = ['ended', 'attempts', 'final', 'untold']

const OF_FAILURES = ['notBefore', 'resendNumber', 'confirmed', 'reason', 'error', 'stack']
/** A first attempt that ended well has none of them. */
export const OF_RETRIES: readonly string[] = [...INDEX_ATTRIBUTES, ...OF_FAILURES]
