import type { Store, Update, WriteOutcome, ReadOutcome } from '../../store/store.ts'
import { newToken, reopen, restart, takeOver, takeOverToDeadLetter } from './claimWrites.ts'
import { type ClaimRequest, decideClaim, endedSilently, type TokenVerdict } from './decideClaim.ts'
import { firstToken, readToken, type Token } from './token.ts'

export type TokenClaim =
  /** This attempt may run and write. */
  | { readonly kind: 'claimed'; readonly token: Token }
  /** This attempt has to bring the request to the dead-letter queue. */
  | { readonly kind: 'deadLettering'; readonly token: Token }
  | Extract<
      TokenVerdict,
      {
        kind:
          | 'held'
          | 'early'
          | 'replaced'
          | 'duplicate'
          | 'alreadyDeadLettered'
          | 'conflict'
          | 'refuse'
      }
    >
  /** Not claimed: its last attempt ended without a word, so it is to be claimed right before it runs, and alone. */
  | { readonly kind: 'silent'; readonly attempts: number }
  | { readonly kind: 'unreadable' }
  | { readonly kind: 'failed'; readonly error: Error }

export interface MessageClaimRequest extends ClaimRequest {
  /** The record was delivered before, or is a copy: its token is there, and reading it first saves a write. */
  readonly deliveredBefore: boolean
  /** Why it is buried when it may not run. */
  readonly refusal: { readonly reason: string; readonly error: string } | undefined
  /** It is claimed together with others, and does not run at once. */
  readonly ahead: boolean
}

/** A rival that changes the token between look and write costs a round; then the record comes back a little later. */
const ROUNDS = 4
const CONTENDED_MS = 1_000

/** Claims in the order of the requests: one write for those that look new, one read for the others. */
export async function claimMany(
  store: Store,
  requests: readonly MessageClaimRequest[],
  now: number,
): Promise<TokenClaim[]> {
  const fresh = requests.filter((request) => !request.deliveredBefore && !request.refused)
  const known = requests.filter((request) => request.deliveredBefore || request.refused)
  const [begun, read] = await Promise.all([begin(store, fresh, now), lookUp(store, known, now)])
  const claims = new Map<MessageClaimRequest, TokenClaim>([...begun, ...read])
  return requests.map((request) => claims.get(request) ?? missing(request))
}

function missing(request: MessageClaimRequest): never {
  throw new Error(`no outcome for the claim of ${request.pk}`)
}

type Claims = [MessageClaimRequest, TokenClaim][]

async function begin(
  store: Store,
  requests: readonly MessageClaimRequest[],
  now: number,
): Promise<Claims> {
  if (requests.length === 0) return []
  const outcomes = await store.create(requests.map((request) => newToken(request, now)))
  return Promise.all(
    requests.map(async (request, index): Promise<[MessageClaimRequest, TokenClaim]> => {
      const outcome = outcomes[index]
      return outcome?.kind === 'applied'
        ? [request, claimedNew(request)]
        : [request, await follow(store, request, outcome, now, ROUNDS)]
    }),
  )
}

/**
 * Eventually consistent at first: what it shows as completed has completed, and for what is to be written the write
 * decides. What else would let a message go is looked at again.
 */
async function lookUp(
  store: Store,
  requests: readonly MessageClaimRequest[],
  now: number,
): Promise<Claims> {
  if (requests.length === 0) return []
  const consistent = requests.some(({ refused }) => refused)
  const outcomes = await store.read(
    requests.map(({ pk }) => ({ pk, sk: 'token' })),
    { consistent },
  )
  return Promise.all(
    requests.map(async (request, index): Promise<[MessageClaimRequest, TokenClaim]> => [
      request,
      await (consistent
        ? follow(store, request, outcomes[index], now, ROUNDS)
        : judgeLook(store, request, outcomes[index], now)),
    ]),
  )
}

/** By a read that is a second behind, a second life of the request may look like its first. */
async function judgeLook(
  store: Store,
  request: MessageClaimRequest,
  outcome: ReadOutcome | undefined,
  now: number,
): Promise<TokenClaim> {
  const claim = await follow(store, request, outcome, now, ROUNDS)
  if (!MUST_BE_CONSISTENT.has(claim.kind)) return claim
  const [truth] = await store.read([{ pk: request.pk, sk: 'token' }], { consistent: true })
  return follow(store, request, truth, now, ROUNDS)
}

const MUST_BE_CONSISTENT: ReadonlySet<TokenClaim['kind']> = new Set([
  'replaced',
  'alreadyDeadLettered',
  'conflict',
  'refuse',
])

/** From what stands in the store to a verdict, and from the verdict to the write it asks for, until one of them holds. */
async function follow(
  store: Store,
  request: MessageClaimRequest,
  outcome: WriteOutcome | ReadOutcome | undefined,
  now: number,
  rounds: number,
): Promise<TokenClaim> {
  if (outcome === undefined) return missing(request)
  if (outcome.kind === 'failed') return outcome
  const token = outcome.item === undefined ? undefined : readToken(outcome.item)
  if (outcome.item !== undefined && token === undefined) return { kind: 'unreadable' }
  const verdict = decideClaim(token, request, now)
  if (verdict.kind === 'takeOver' && request.ahead && endedSilently(verdict.token)) {
    return { kind: 'silent', attempts: verdict.token.attempt }
  }
  switch (verdict.kind) {
    case 'mine':
      return { kind: 'claimed', token: verdict.token }
    case 'start':
    case 'takeOver':
    case 'reopen':
    case 'deadLetter':
      if (rounds === 0) return { kind: 'held', until: now + CONTENDED_MS }
      return write(store, request, verdict, now, rounds)
    default:
      return verdict
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
  rounds: number,
): Promise<TokenClaim> {
  if (verdict.kind === 'deadLetter' && verdict.token.attemptId === request.attemptId) {
    return { kind: 'deadLettering', token: verdict.token }
  }
  if (verdict.kind === 'start' && verdict.expired === undefined) {
    const [created] = await store.create([newToken(request, now)])
    if (created?.kind === 'applied') return claimedNew(request)
    return follow(store, request, created, now, rounds - 1)
  }
  const [updated] = await store.update([transition(verdict, request, now)])
  if (updated?.kind === 'refused') return follow(store, request, updated, now, rounds - 1)
  if (updated === undefined || updated.kind === 'failed') return updated ?? missing(request)
  const token = updated.item === undefined ? undefined : readToken(updated.item)
  if (token === undefined) return { kind: 'unreadable' }
  return { kind: verdict.kind === 'deadLetter' ? 'deadLettering' : 'claimed', token }
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
  if (verdict.because === 'refused' && request.refusal !== undefined) {
    const { refusal } = request
    return error === undefined
      ? refusal
      : { ...refusal, error: `${refusal.error}; the attempt before failed with ${error}` }
  }
  return {
    reason: 'exhausted',
    error:
      `the last of ${attempt} attempts ended without an answer (killed or timed out)` +
      (error === undefined ? '' : `; the one before it that could say so failed with ${error}`),
  }
}

function claimedNew(request: MessageClaimRequest): TokenClaim {
  return { kind: 'claimed', token: firstToken(request) }
}
