import type { Store, Update, WriteOutcome, ReadOutcome } from '../../store/store.ts'
import {
  attempt,
  decideAndWrite,
  type Done,
  done,
  look,
  type Look,
  type Step,
} from '../decideAndWrite.ts'
import { newToken, reopen, restart, takeOver, takeOverToDeadLetter } from './claimWrites.ts'
import { AFTER_LOST, type AfterLost } from '../hold.ts'
import { type ClaimRequest, decideClaim, endedSilently, type TokenVerdict } from './decideClaim.ts'
import { firstToken, readToken, type Token } from './token.ts'

export type TokenClaim =
  /** This attempt may run and write. `isSurelyFirst`: the answer to its own write says that the token is new. */
  | ({
      readonly kind: 'claimed'
      readonly token: Token
      readonly isSurelyFirst: boolean
    } & AfterLost)
  /** This attempt has to send the request to the dead-letter queue. */
  | ({ readonly kind: 'deadLettering'; readonly token: Token } & AfterLost)
  | Extract<
      TokenVerdict,
      {
        kind: 'held' | 'early' | 'replaced' | 'over' | 'conflict' | 'refuse' | 'lost'
      }
    >
  /** Not claimed: the last attempt ended without a write. It has to be claimed alone, right before it runs. */
  | { readonly kind: 'silent'; readonly attempts: number }
  | { readonly kind: 'unreadable' }
  | { readonly kind: 'failed'; readonly error: Error }

export interface MessageClaimRequest extends ClaimRequest {
  /** The record was delivered before, or is a copy. Its token exists, so reading it first saves a write. */
  readonly deliveredBefore: boolean
  /** The reason for the dead letter if the record may not run. */
  readonly refusal: { readonly reason: string; readonly error: string } | undefined
  /** The record is claimed together with others, before it runs. */
  readonly ahead: boolean
}

/** When another writer was faster in every round, the message comes back after this time, milliseconds. */
const CONTENDED_MS = 1_000

/** Claims in the order of the requests: one write for requests that look new, one read for the others. */
export async function claimMany(
  store: Store,
  requests: readonly MessageClaimRequest[],
  now: number,
): Promise<TokenClaim[]> {
  const fresh = requests.filter((request) => !request.deliveredBefore && !request.refused)
  const known = requests.filter((request) => request.deliveredBefore || request.refused)
  const [begun, read] = await Promise.all([begin(store, fresh, now), lookUp(store, known, now)])
  return requests.map((request) => begun.get(request) ?? read.get(request) ?? missing(request))
}

function missing(request: MessageClaimRequest): never {
  throw new Error(`no outcome for the claim of ${request.pk}`)
}

type Claims = Map<MessageClaimRequest, TokenClaim>

async function begin(
  store: Store,
  requests: readonly MessageClaimRequest[],
  now: number,
): Promise<Claims> {
  const claims: Claims = new Map()
  if (requests.length === 0) return claims
  const outcomes = await store.create(requests.map((request) => newToken(request, now)))
  const refused: Promise<unknown>[] = []
  for (const [index, request] of requests.entries()) {
    const outcome = outcomes[index]
    if (outcome?.kind === 'applied') claims.set(request, claimedNew(request))
    else {
      const claim = follow(store, request, outcome, now)
      refused.push(claim.then((known) => claims.set(request, known)))
    }
  }
  await Promise.all(refused)
  return claims
}

/**
 * The first read is eventually consistent. A completed token that it shows is completed, and a write that follows is conditional.
 * Every other verdict that would acknowledge a message is made again on a consistent read.
 */
async function lookUp(
  store: Store,
  requests: readonly MessageClaimRequest[],
  now: number,
): Promise<Claims> {
  if (requests.length === 0) return new Map()
  const consistent = requests.some(({ refused }) => refused)
  const outcomes = await store.read(
    requests.map(({ pk }) => ({ pk, sk: 'token' })),
    { consistent },
  )
  const judge = consistent ? follow : judgeLook
  const claims = await Promise.all(
    requests.map(
      async (request, index) =>
        [request, await judge(store, request, outcomes[index], now)] as const,
    ),
  )
  return new Map(claims)
}

/** In a read that is a second old, the second life of a request may look like its first. */
async function judgeLook(
  store: Store,
  request: MessageClaimRequest,
  outcome: ReadOutcome | undefined,
  now: number,
): Promise<TokenClaim> {
  const claim = await follow(store, request, outcome, now)
  if (!needsTruth(claim)) return claim
  const [truth] = await store.read([{ pk: request.pk, sk: 'token' }], { consistent: true })
  return follow(store, request, truth, now)
}

const MUST_BE_CONSISTENT: ReadonlySet<TokenClaim['kind']> = new Set([
  'replaced',
  'conflict',
  'refuse',
  'lost',
])

/** A request that is completed, or undone, stays so; one that was dead-lettered may have been redriven since. */
function needsTruth(claim: TokenClaim): boolean {
  return claim.kind === 'over'
    ? claim.as === 'alreadyDeadLettered'
    : MUST_BE_CONSISTENT.has(claim.kind)
}

/** Decides on the stored token, and makes the write that the decision asks for. */
function follow(
  store: Store,
  request: MessageClaimRequest,
  first: Seen,
  now: number,
): Promise<TokenClaim> {
  return decideAndWrite<Seen, TokenClaim>(
    first,
    (seen) => decide(store, request, seen, now),
    () => ({ kind: 'held', until: now + CONTENDED_MS }),
  )
}

type Seen = WriteOutcome | ReadOutcome | undefined

function decide(
  store: Store,
  request: MessageClaimRequest,
  seen: Seen,
  now: number,
): Step<Seen, TokenClaim> {
  if (seen === undefined) return missing(request)
  if (seen.kind === 'failed') return done(seen)
  const token = seen.item === undefined ? undefined : readToken(seen.item)
  if (seen.item !== undefined && token === undefined) return done({ kind: 'unreadable' })
  const verdict = decideClaim(token, request, now)
  switch (verdict.kind) {
    case 'mine':
      return done({ kind: 'claimed', token: verdict.token, isSurelyFirst: false })
    case 'takeOver':
      return request.ahead && endedSilently(verdict.token)
        ? done({ kind: 'silent', attempts: verdict.token.attempt })
        : attempt(() => write(store, request, verdict, now))
    case 'deadLetter':
      return verdict.token.attemptId === request.attemptId
        ? done({ kind: 'deadLettering', token: verdict.token })
        : attempt(() => write(store, request, verdict, now))
    case 'start':
    case 'reopen':
      return attempt(() => write(store, request, verdict, now))
    default:
      return done(verdict)
  }
}

type ClaimingVerdict = Extract<
  TokenVerdict,
  { kind: 'start' | 'takeOver' | 'reopen' | 'deadLetter' }
>

async function write(
  store: Store,
  request: MessageClaimRequest,
  verdict: ClaimingVerdict,
  now: number,
): Promise<Done<TokenClaim> | Look<Seen>> {
  if (verdict.kind === 'start' && verdict.expired === undefined) {
    const [created] = await store.create([newToken(request, now)])
    return created?.kind === 'applied' ? done(claimedNew(request)) : look(created)
  }
  const [updated] = await store.update([transition(verdict, request, now)])
  if (updated?.kind !== 'applied') return look(updated)
  const token = updated.item === undefined ? undefined : readToken(updated.item)
  if (token === undefined) return done({ kind: 'unreadable' })
  const after = 'token' in verdict && endedSilently(verdict.token) && AFTER_LOST
  return done(
    verdict.kind === 'deadLetter'
      ? { kind: 'deadLettering', token, ...after }
      : { kind: 'claimed', token, isSurelyFirst: false, ...after },
  )
}

function transition(verdict: ClaimingVerdict, request: MessageClaimRequest, now: number): Update {
  switch (verdict.kind) {
    case 'start':
      return restart(verdict.expired ?? missing(request), request, now)
    case 'takeOver':
      return takeOver(verdict.token, request, now)
    case 'reopen':
      return reopen(verdict.token, request, now)
    case 'deadLetter':
      return takeOverToDeadLetter(verdict.token, request, deathOf(verdict, request))
  }
}

function deathOf(
  verdict: Extract<ClaimingVerdict, { kind: 'deadLetter' }>,
  request: MessageClaimRequest,
): { reason: string; error: string } {
  const { attempt, error } = verdict.token
  if (verdict.because === 'rejected' && request.refusal !== undefined) {
    const { refusal } = request
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

function claimedNew(request: MessageClaimRequest): TokenClaim {
  return { kind: 'claimed', token: firstToken(request), isSurelyFirst: true }
}
