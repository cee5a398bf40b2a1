import {
  onlyOutcome,
  type Item,
  type ReadOutcome,
  type Store,
  type Update,
  type WriteOutcome,
} from '../../store/store.ts'
import { RetryableError, StoreUnavailableError } from '../../base/errors.ts'
import {
  attempt,
  decideAndWrite,
  type Done,
  done,
  look,
  type Look,
  MAX_ROUNDS,
  type Step,
} from '../decideAndWrite.ts'
import { indexed } from '../statusIndex.ts'
import { newToken, restart, takeOver } from './claimWrites.ts'
import { AFTER_LOST, type AfterLost } from '../hold.ts'
import {
  type ClaimRequest,
  decideClaim,
  endedSilently,
  type TokenVerdict,
  type FencedCall,
  withOwnDeadAttempt,
} from './decideClaim.ts'
import { readToken, type Token } from './token.ts'

type ClaimingVerdict = Extract<TokenVerdict, { kind: 'start' | 'takeOver' }>
/** Why a key cannot be claimed: another attempt runs, the key has ended, or the payload differs. */
export type KeyConflict = Exclude<TokenVerdict, ClaimingVerdict | { kind: 'mine' | 'lost' }>

export type KeyClaim =
  | ({
      readonly kind: 'claimed'
      readonly token: Token
      readonly item: Item
      /** As in `Fencing`. */
      readonly isSurelyFirst: boolean
    } & AfterLost)
  | { readonly kind: 'taken'; readonly by: KeyConflict; readonly item: Item }
  | { readonly kind: 'failed'; readonly error: Error }

export interface KeyRequest extends Pick<
  ClaimRequest,
  'pk' | 'attemptId' | 'lockedBy' | 'leaseUntil' | 'expectedCompletion' | 'payloadHash'
> {
  /** Milliseconds; Infinity: the key never becomes free again. */
  readonly retention: number
  /** Whether the status index lists its first attempt, too. Otherwise it is listed when it is lost, by the search of the sweeper. */
  readonly listedAtOnce: boolean
  /** undefined: the effects of the call do not go through `ctx`, so nothing fences them. */
  readonly fenced?: FencedCall | undefined
}

type KeyClaimRequest = ClaimRequest & Pick<KeyRequest, 'retention' | 'listedAtOnce' | 'fenced'>

/** Claims the token of one key: with one write, or two when the key was used before and is free again. */
export async function claimKey(store: Store, key: KeyRequest, now: number): Promise<KeyClaim> {
  const request = requestOf(key)
  const next = await write(store, request, { kind: 'start', expired: undefined }, now)
  return next.kind === 'done' ? next.result : follow(store, request, next.seen, now)
}

/** Like `claimKey`, for an item that has been read already. */
export function claimAsSeen(
  store: Store,
  key: KeyRequest,
  seen: ReadOutcome,
  now: number,
): Promise<KeyClaim> {
  return follow(store, requestOf(key), seen, now)
}

/** A key has no message: no copy can arrive later, and there is no retry budget. */
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

type Seen = WriteOutcome | ReadOutcome

function follow(
  store: Store,
  request: KeyClaimRequest,
  first: Seen,
  now: number,
): Promise<KeyClaim> {
  return decideAndWrite<Seen, KeyClaim>(
    first,
    (seen) => decide(store, request, seen, now),
    () => contended(request),
  )
}

function decide(
  store: Store,
  request: KeyClaimRequest,
  seen: Seen,
  now: number,
): Step<Seen, KeyClaim> {
  if (seen.kind === 'failed') return done(seen)
  const { item } = seen
  const token = item && readToken(item)
  if (item !== undefined && token === undefined) return done(unreadable(request))
  const verdict = withOwnDeadAttempt(decideClaim(token, request, now), token, request, now)
  switch (verdict.kind) {
    case 'mine':
      return done(claimed(request, item, false))
    case 'start':
    case 'takeOver':
      return attempt(() => write(store, request, verdict, now))
    case 'lost':
      return done(unreadable(request))
    default:
      // No key is undone: such a token is the work of a newer version.
      return verdict.kind === 'over' && verdict.as === 'undone'
        ? done(unreadable(request))
        : done(item === undefined ? unreadable(request) : { kind: 'taken', by: verdict, item })
  }
}

async function write(
  store: Store,
  request: KeyClaimRequest,
  verdict: ClaimingVerdict,
  now: number,
): Promise<Done<KeyClaim> | Look<Seen>> {
  const update = transition(verdict, request, now)
  const outcome = onlyOutcome(
    await (update === undefined
      ? store.create([
          { ...newToken(request, now), ...ownAttributes(request, now), fence: firstFence(now) },
        ])
      : store.update([update])),
  )
  if (outcome.kind !== 'applied') return look(outcome)
  const after = verdict.kind === 'takeOver' && endedSilently(verdict.token) && AFTER_LOST
  return done({ ...claimed(request, outcome.item, update === undefined), ...after })
}

/** @returns undefined when there is no token yet */
function transition(
  verdict: ClaimingVerdict,
  request: KeyClaimRequest,
  now: number,
): Update | undefined {
  if (verdict.kind === 'takeOver') {
    const { token } = verdict
    return asKey(takeOver(token, request, now), ownAttributes(request, token.since ?? now))
  }
  if (verdict.expired === undefined) return undefined
  return asKey(restart(verdict.expired, request, now), ownAttributes(request, now))
}

function asKey(update: Update, own: ReturnType<typeof ownAttributes>): Update {
  const left = [...(update.remove ?? []), ...ENDED].filter((name) => !(name in own))
  return { ...update, set: { ...update.set, ...own }, remove: [...new Set(left)] }
}

/**
 * The first fence is the time, not 1. A token that DynamoDB has deleted starts again, and its fence must be above every fence
 * that the user's rows hold from its earlier lives. Each claim adds 1, and no key is claimed every millisecond.
 */
function firstFence(now: number): number {
  return now
}

/** @param since when the first attempt claimed the key, epoch milliseconds */
function ownAttributes(
  request: KeyClaimRequest,
  since: number,
): Readonly<Record<string, string | number>> {
  const { pk, expectedCompletion, payloadHash, retention, listedAtOnce, fenced } = request
  return {
    ...(listedAtOnce && indexed(pk, 'inProgress', expectedCompletion)),
    ...(payloadHash === undefined ? {} : { payloadHash }),
    retention: retention === Infinity ? 'forever' : retention,
    ...(fenced && { since }),
    ...(fenced?.aliveUntil !== undefined && { aliveUntil: fenced.aliveUntil }),
  }
}

/**
 * What the attempt before has left. If its `ttl` stayed on a token that runs again, DynamoDB would delete a lock that is held.
 */
const ENDED = ['ttl', 'result', 'resultIn', 'notKept', 'error', 'stack', 'aliveUntil', 'since']

function claimed(request: ClaimRequest, item: Item | undefined, isSurelyFirst: boolean): KeyClaim {
  const token = item && readToken(item)
  return item === undefined || token === undefined
    ? unreadable(request)
    : { kind: 'claimed', token, item, isSurelyFirst }
}

function unreadable({ pk }: ClaimRequest): KeyClaim {
  const error = new StoreUnavailableError(
    `the token ${pk} was written by a newer version, or by hand, and cannot be read: nothing was run`,
  )
  return { kind: 'failed', error }
}

function contended({ pk }: ClaimRequest): KeyClaim {
  const error = new RetryableError(
    `other callers changed the token ${pk} ${MAX_ROUNDS} times in the meantime: nothing was run, try again`,
  )
  return { kind: 'failed', error }
}
