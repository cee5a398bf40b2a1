// @acts

import { hasExpired } from '../../../base/limits/lifetime.ts'
import {
  type Item,
  type ReadOutcome,
  type Update,
  type WriteOutcome,
  asFailed,
  hasNoAnswer,
} from '../../store/store.ts'
import {
  attempt,
  decideAndWrite,
  type Done,
  done,
  look,
  type Look,
  type Step,
} from '../decideAndWrite.ts'
import { newToken, restart, takeOver, tokenKeyOf } from './claimWrites.ts'
import { parkSilentKey } from './endKey.ts'
import { damaged } from '../../store/format.ts'
import type { ItemStore } from '../itemStore.ts'
import { AFTER_LOST, type AfterLost } from '../hold.ts'
import {
  type ClaimRequest,
  decideClaim,
  endedSilently,
  type MessageVerdict,
  type TokenVerdict,
} from './decideClaim.ts'
import type { Unclaimed } from '../unclaimed.ts'
import { firstToken, readToken, type Token } from './token.ts'

export type TokenClaim =
  /** This attempt may run and write. `isSurelyFirst`: the answer to its own write says that the token is new. */
  | ({
      readonly kind: 'claimed'
      readonly token: Token
      readonly item: Item
      readonly isSurelyFirst: boolean
    } & AfterLost)
  /** This attempt has to send the request to the dead-letter queue. */
  | ({ readonly kind: 'deadLettering'; readonly token: Token } & AfterLost)
  /** Not claimed. `item`: the one that decided; undefined if there is none, or other writers were faster in every round. */
  | { readonly kind: 'taken'; readonly by: Conflict; readonly item: Item | undefined }
  | Extract<Unclaimed, { readonly kind: 'silent' | 'failed' }>

/** Why a token cannot be claimed: another attempt runs, the request has ended, it is not its turn, or something does not fit. */
export type Conflict = Exclude<TokenVerdict, ClaimingVerdict | { readonly kind: 'mine' | 'park' }>

export interface TokenRequest extends ClaimRequest {
  /** The token exists, as far as is known: reading it saves a write that would be refused. */
  readonly readFirst: boolean
  /** What only a message can be: reopened and dead-lettered. undefined: a key, which has no message. */
  readonly ofMessage?: (verdict: MessageVerdict, request: ClaimRequest, now: number) => Update
  /** The record is claimed together with others, before it runs. */
  readonly ahead: boolean
}

/** When another writer was faster in every round, the message is hidden for this time, milliseconds. */
const CONTENDED_MS = 1_000

/** A claim that is under way. */
interface Claiming {
  readonly store: TokenStore
  readonly request: TokenRequest
  readonly now: number
}

type TokenStore = Pick<ItemStore, 'create' | 'update' | 'look' | 'read'>

/**
 * The first read is eventually consistent. A completed token that it shows is completed, and a write that follows is conditional.
 * Every other verdict that would acknowledge a message is made again on a consistent read: in a read that is a second old, the
 * second life of a request may look like its first.
 */
export async function claimToken(
  store: TokenStore,
  request: TokenRequest,
  now: number,
): Promise<TokenClaim> {
  const claiming = { store, request, now }
  if (!request.readFirst && !request.refused) {
    const next = await write(claiming, { kind: 'start', expired: undefined })
    return next.kind === 'done' ? next.result : follow(claiming, next.seen)
  }
  const key = tokenKeyOf(request)
  const claim = await follow(claiming, await (request.refused ? store.read(key) : store.look(key)))
  // @protects no message is dropped on what an inconsistent read shows
  // @without its else
  return !request.refused && needsTruth(claim, now)
    ? follow(claiming, await store.read(key))
    : claim
}

/** A request that is completed stays so until it expires; one that was dead-lettered may have been redriven since. */
function needsTruth(claim: TokenClaim, now: number): boolean {
  if (claim.kind !== 'taken') return false
  const { by, item } = claim
  if (by.kind !== 'over') return MUST_BE_CONSISTENT.has(by.kind)
  return by.as === 'alreadyDeadLettered' || hasExpired(item?.['ttl'], now)
}

const MUST_BE_CONSISTENT: ReadonlySet<TokenVerdict['kind']> = new Set([
  'replaced',
  'conflict',
  'refuse',
  'lost',
])

type Seen = WriteOutcome | ReadOutcome

/** Decides on the stored token, and makes the write that the decision asks for. */
function follow(claiming: Claiming, first: Seen): Promise<TokenClaim> {
  return decideAndWrite<Seen, TokenClaim>(
    first,
    (seen) => decide(claiming, seen),
    () => taken({ kind: 'held', until: claiming.now + CONTENDED_MS }, undefined),
  )
}

function decide(claiming: Claiming, seen: Seen): Step<Seen, TokenClaim> {
  if (hasNoAnswer(seen)) return done(asFailed(seen))
  const { request, now } = claiming
  const { item } = seen
  const token = item && readToken(item)
  if (item !== undefined && token === undefined) return done(asFailed(damaged(tokenKeyOf(request))))
  const verdict = decideClaim(token, request, now)
  switch (verdict.kind) {
    case 'mine':
      return done(granted(request, item, verdict.token, false))
    case 'takeOver':
      // @protects a record whose attempt was killed is claimed alone
      // @without its else @tests test/deliver/deadSandbox
      return request.ahead && endedSilently(verdict.token)
        ? done({ kind: 'silent', attempts: verdict.token.attempt })
        : attempt(() => write(claiming, verdict))
    case 'park':
      return attempt(() => park(claiming, verdict.token))
    case 'deadLetter':
      // @protects a call does not dead-letter the message of a consumer of the same name
      // @tests test/claim
      if (request.ofMessage === undefined) {
        return done(taken({ kind: 'held', until: verdict.token.leaseUntil }, item))
      }
      return verdict.token.attemptId === request.attemptId
        ? done({ kind: 'deadLettering', token: verdict.token })
        : attempt(() => write(claiming, verdict))
    case 'start':
    case 'reopen':
      return attempt(() => write(claiming, verdict))
    default:
      return done(taken(verdict, item))
  }
}

/** Parks a token that no caller may take over. What is stored then decides: another caller may have parked it, or its late holder ended it. */
async function park({ store, now }: Claiming, token: Token): Promise<Look<Seen>> {
  const outcome = await store.update(parkSilentKey(token, now))
  // Not every engine returns the item from a batch.
  return look(outcome.kind === 'applied' ? await store.read(tokenKeyOf(token)) : outcome)
}

type ClaimingVerdict =
  | Extract<TokenVerdict, { readonly kind: 'start' | 'takeOver' }>
  | MessageVerdict

function write(
  claiming: Claiming,
  verdict: ClaimingVerdict,
): Promise<Done<TokenClaim> | Look<Seen>> {
  const update = transition(verdict, claiming)
  return update === undefined ? create(claiming) : change(claiming, verdict, update)
}

async function create({ store, request, now }: Claiming): Promise<Done<TokenClaim> | Look<Seen>> {
  const item = newToken(request, now)
  const outcome = await store.create(item)
  if (outcome.kind !== 'applied') return look(outcome)
  const token = request.own === undefined ? firstToken(request) : readToken(item)
  return done(granted(request, item, token, true))
}

async function change(
  { store, request }: Claiming,
  verdict: ClaimingVerdict,
  update: Update,
): Promise<Done<TokenClaim> | Look<Seen>> {
  const outcome = await store.update(update)
  if (outcome.kind !== 'applied') return look(outcome)
  // Not every engine returns the item from a batch. What the last attempt has marked since it was seen is only there.
  // @protects a claim knows the marks that were set since it was decided
  // @without its else
  const after = outcome.item === undefined ? await store.read(update.key) : outcome
  if (hasNoAnswer(after)) return done(asFailed(after))
  const token = after.item && readToken(after.item)
  if (token?.attemptId !== request.attemptId) return look(after)
  const lost = 'token' in verdict && endedSilently(verdict.token) && AFTER_LOST
  return done(
    verdict.kind === 'deadLetter'
      ? { kind: 'deadLettering', token, ...lost }
      : { ...granted(request, after.item, token, false), ...lost },
  )
}

/** @returns undefined when there is no token yet */
function transition(verdict: ClaimingVerdict, { request, now }: Claiming): Update | undefined {
  switch (verdict.kind) {
    case 'start':
      return verdict.expired && restart(verdict.expired, request, now)
    case 'takeOver':
      return takeOver(verdict.token, request, now)
    case 'reopen':
    case 'deadLetter':
      return request.ofMessage?.(verdict, request, now)
  }
}

function taken(by: Conflict, item: Item | undefined): TokenClaim {
  return { kind: 'taken', by, item }
}

function granted(
  request: TokenRequest,
  item: Item | undefined,
  token: Token | undefined,
  isSurelyFirst: boolean,
): TokenClaim {
  return item === undefined || token === undefined
    ? asFailed(damaged(tokenKeyOf(request)))
    : { kind: 'claimed', token, item, isSurelyFirst }
}
