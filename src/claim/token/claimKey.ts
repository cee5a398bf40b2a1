import { RetryableError, StoreUnavailableError } from '../../errors.ts'
import type { Item, ReadOutcome, Store, Update, WriteOutcome } from '../../store/store.ts'
import { indexed, newToken, restart, takeOver } from './claimWrites.ts'
import { type ClaimRequest, decideClaim, type TokenVerdict } from './decideClaim.ts'
import { readToken, type Token } from './token.ts'

type ClaimingVerdict = Extract<TokenVerdict, { kind: 'start' | 'takeOver' }>
/** What stands in the way of a claim: an attempt that runs, an end, or another payload. */
export type KeyConflict = Exclude<TokenVerdict, ClaimingVerdict | { kind: 'mine' }>

export type KeyClaim =
  | { readonly kind: 'claimed'; readonly token: Token; readonly item: Item }
  | { readonly kind: 'taken'; readonly by: KeyConflict; readonly item: Item }
  | { readonly kind: 'failed'; readonly error: Error }

export interface KeyRequest extends Pick<
  ClaimRequest,
  'pk' | 'attemptId' | 'lockedBy' | 'leaseUntil' | 'expectedCompletion' | 'payloadHash'
> {
  /** Milliseconds; Infinity: the key is never free again. */
  readonly retention: number
}

interface KeyClaimRequest extends ClaimRequest {
  readonly retention: number
}

/** A rival that changes the token between look and write costs a round. */
const ROUNDS = 5

/** Claims the token of one key: one write, and one more when the key was used before and is free again. */
export function claimKey(store: Store, key: KeyRequest, now: number): Promise<KeyClaim> {
  return write(store, requestOf(key), { kind: 'start', expired: undefined }, now, ROUNDS)
}

/** The same, from what a read has shown. */
export function claimAsSeen(
  store: Store,
  key: KeyRequest,
  seen: ReadOutcome,
  now: number,
): Promise<KeyClaim> {
  return follow(store, requestOf(key), seen, now, ROUNDS)
}

/** Nobody sends a key again, so there is neither a copy to wait for nor a count of attempts to end at. */
function requestOf(key: KeyRequest): KeyClaimRequest {
  return {
    ...key,
    trustsUnhashed: true,
    maxAttempts: Infinity,
    retry: 0,
    death: undefined,
    deadLetter: false,
    refused: false,
  }
}

async function follow(
  store: Store,
  request: KeyClaimRequest,
  seen: WriteOutcome | ReadOutcome,
  now: number,
  rounds: number,
): Promise<KeyClaim> {
  if (seen.kind === 'failed') return seen
  const { item } = seen
  const token = item && readToken(item)
  if (item !== undefined && token === undefined) return unreadable(request)
  const verdict = decideClaim(token, request, now)
  switch (verdict.kind) {
    case 'mine':
      return claimed(request, item)
    case 'start':
    case 'takeOver':
      return rounds === 0 ? contended(request) : write(store, request, verdict, now, rounds)
    default:
      return item === undefined ? unreadable(request) : { kind: 'taken', by: verdict, item }
  }
}

async function write(
  store: Store,
  request: KeyClaimRequest,
  verdict: ClaimingVerdict,
  now: number,
  rounds: number,
): Promise<KeyClaim> {
  const update = transition(verdict, request, now)
  const [outcome = NO_ANSWER] = await (update === undefined
    ? store.create([
        { ...newToken(request, now), ...ownAttributes(request), fence: firstFence(now) },
      ])
    : store.update([update]))
  return outcome.kind === 'applied'
    ? claimed(request, outcome.item)
    : follow(store, request, outcome, now, rounds - 1)
}

/** Undefined: there is no token yet. */
function transition(
  verdict: ClaimingVerdict,
  request: KeyClaimRequest,
  now: number,
): Update | undefined {
  if (verdict.kind === 'takeOver') return asKey(takeOver(verdict.token, request, now), request)
  if (verdict.expired === undefined) return undefined
  return asKey(restart(verdict.expired, request, now), request)
}

function asKey(update: Update, request: KeyClaimRequest): Update {
  return withoutEnd({ ...update, set: { ...update.set, ...ownAttributes(request) } })
}

/**
 * The time, not 1: a token that DynamoDB has deleted begins anew, and its fence must be above all those that the user's rows
 * hold from its earlier lives. Each claim adds 1, and no key is claimed every millisecond.
 */
function firstFence(now: number): number {
  return now
}

function ownAttributes(request: KeyClaimRequest): Readonly<Record<string, string | number>> {
  const { payloadHash, retention } = request
  return {
    ...listed(request),
    ...(payloadHash === undefined ? {} : { payloadHash }),
    retention: retention === Infinity ? 'forever' : retention,
  }
}

/** Unlike a message, a key whose attempt died may never come again: the status index has to show it from the start. */
function listed(request: ClaimRequest): ReturnType<typeof indexed> {
  return indexed(request.pk, 'inProgress', request.expectedCompletion)
}

const END = ['ttl', 'result', 'resultIn', 'notKept', 'error']

/** A `ttl` left on a token that runs again would let DynamoDB delete a lock that is held. */
function withoutEnd(update: Update): Update {
  return { ...update, remove: [...new Set([...(update.remove ?? []), ...END])] }
}

const NO_ANSWER: WriteOutcome = {
  kind: 'failed',
  error: new StoreUnavailableError('the store gave no outcome'),
}

function claimed(request: ClaimRequest, item: Item | undefined): KeyClaim {
  const token = item && readToken(item)
  return item === undefined || token === undefined
    ? unreadable(request)
    : { kind: 'claimed', token, item }
}

function unreadable({ pk }: ClaimRequest): KeyClaim {
  const error = new StoreUnavailableError(
    `the token ${pk} was written by a newer version, or by hand, and cannot be read: nothing was run`,
  )
  return { kind: 'failed', error }
}

function contended({ pk }: ClaimRequest): KeyClaim {
  const error = new RetryableError(
    `other callers changed the token ${pk} ${ROUNDS} times in the meantime: nothing was run, try again`,
  )
  return { kind: 'failed', error }
}
