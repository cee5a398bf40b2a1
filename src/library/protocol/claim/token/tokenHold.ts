// @acts

import {
  outcomeOrThrow,
  type Store,
  type Update,
  type WriteOutcome,
  type Item,
  type StoreKey,
  type Value,
  asFailed,
  hasNoAnswer,
} from '../../store/store.ts'
import {
  type AppliedEffects,
  type Death,
  type Fencing,
  type Hold,
  type OutsideCalls,
  STARTED,
  type WriteResult,
  superseded,
} from '../hold.ts'
import { assertRoom, FOR_A_CALL, roomBeside } from '../room.ts'
import {
  callField,
  forgetCall,
  markOf,
  addEffect,
  storeCall,
  finishDeadLettering,
  confirmResend,
  startDeadLettering,
  waitUntil,
  scheduleResend,
} from './tokenWrites.ts'
import { release, complete, wasWritten } from './settleWrites.ts'
import { type Token, firstToken, readToken } from './token.ts'
import { endedToken, newToken, runningStatus } from './claimWrites.ts'
import { type ClaimRequest, decideClaim } from './decideClaim.ts'

export interface TokenHoldParts {
  readonly token: Token
  readonly store: Store
  /** Makes the fenced writes of the end, in batches with those of other records. */
  readonly commit: (update: Update) => Promise<WriteOutcome>
  readonly now: () => number
  readonly retention: number
  /** As in `Fencing`. Default false. */
  readonly isSurelyFirst?: boolean
}

/** The claim of a running attempt on its lock token, with the marks and results that the attempt has added. */
export function tokenHold(parts: TokenHoldParts): Hold {
  const mine = { ...parts }
  const end = (update: Update): Promise<WriteResult> => endBy(update, parts)
  const { attempt, resendNumber, fence } = parts.token
  return {
    ...heldEffects(mine, { request: '', isSurelyFirst: parts.isSurelyFirst === true }),
    resendNumber,
    notAfter: undefined,
    fields: { attempt, fence },
    settle: (_end, sent) => end(complete(mine.token, parts.now(), parts.retention, sent)),
    scheduleResend: (next, notBefore, why) => end(scheduleResend(mine.token, next, notBefore, why)),
    confirmResend: async () => {
      await parts.commit(confirmResend(mine.token))
    },
    waitUntil: (notBefore, why) => end(waitUntil(mine.token, notBefore, why)),
    release: async () => {
      await parts.commit(release(mine.token, parts.now()))
    },
    startDeadLettering: async (death) => {
      const left = await end(startDeadLettering(mine.token, death, parts.now()))
      mine.token = dying(mine.token, death)
      return left
    },
    deathReport: () => {
      const { reason = 'exhausted', error = '', stack, death } = mine.token
      return { reason, error, ...(stack && { stack }), attempts: attempt, death }
    },
    finishDeadLettering: (told) => end(finishDeadLettering(mine.token, parts.now(), told)),
    explainLostClaim: async () => ({ kind: 'lost', over: undefined }),
  }
}

/** Makes a fenced write that ends the attempt. */
export async function endBy(
  update: Update,
  { commit, token }: Pick<TokenHoldParts, 'commit' | 'token'>,
): Promise<WriteResult> {
  const outcome = await commit(update)
  if (wasWritten(outcome, update, token)) return { kind: 'written' }
  if (hasNoAnswer(outcome)) return asFailed(outcome)
  return { kind: 'lost', over: undefined, gone: outcome.item === undefined }
}

/** A token that this attempt holds, with the marks and results that it has added. */
export interface OwnToken {
  readonly store: Store
  token: Token
}

/** What the effects of an attempt need of its claim. Each effect updates `mine.token`. */
export function heldEffects(
  mine: OwnToken,
  of: Pick<Fencing, 'request' | 'isSurelyFirst'>,
): Pick<Hold, 'attempt' | 'effects' | 'calls' | 'names' | 'fencing'> {
  const { pk, attempt, fence } = mine.token
  const fencing = { subject: pk, epoch: 0, stage: '', fence, ...of }
  const taken: TakenBytes = new Map()
  return {
    attempt,
    effects: marksOf(mine, taken),
    calls: callsOf(mine, taken),
    names: () => [...mine.token.applied, ...mine.token.calls.keys()],
    fencing,
  }
}

/** The token after `startDeadLettering` was written. */
function dying(token: Token, death: Death): Token {
  return { ...token, status: 'dying', death: token.death + 1, ...death }
}

function marksOf(mine: OwnToken, taken: TakenBytes): AppliedEffects {
  return {
    mark: (name) => {
      if (mine.token.applied.has(name)) return undefined
      assertRoom(roomIn(mine.token) - bytesBeside(taken), name)
      return addEffect(mine.token, name)
    },
    marked: (name) => {
      mine.token = { ...mine.token, applied: new Set([...mine.token.applied, name]) }
    },
    judge: (item, name) => {
      const isMine =
        item?.['attemptId'] === mine.token.attemptId && item['status'] === runningStatus(mine.token)
      const { field, member } = markOf(mine.token, name)
      const marks = item?.[field]
      const isSet = marks instanceof Set && marks.has(member)
      return (
        // @protects a mark that another attempt has set proves nothing
        // @tests test/context
        isMine && isSet ? 'set' : 'lost'
      )
    },
  }
}

/** The most bytes of all results of a request together. An item holds 400 KB, and the token has other attributes too. */
const MAX_STORED = 300_000
/** Bytes that results may not use: they are reserved for the marks of later effects. */
const FOR_MARKS = 8_192

/** Bytes of calls that run side by side, by name, until they are stored: each would otherwise take the same room. */
type TakenBytes = Map<string, number>

function bytesBeside(taken: TakenBytes, name?: string): number {
  let sum = 0
  for (const [other, bytes] of taken) if (other !== name) sum += bytes
  return sum
}

function roomIn({ applied, calls, bytesBeside: beside = 0 }: Token): number {
  return roomBeside(applied, calls) - beside
}

function bytesOf(texts: Iterable<string>): number {
  return [...texts].reduce((sum, each) => sum + Buffer.byteLength(each), 0)
}

function callsOf(mine: OwnToken, taken: TakenBytes): OutsideCalls {
  return {
    stored: async (name) => mine.token.calls.get(name),
    store: async (name, value, before) => {
      const outcome = await writeHeld(mine, storeCall(mine.token, name, value, before))
      const stands =
        outcome.kind === 'refused' ? outcome.item?.[callField(mine.token, name)] : value
      if (typeof stands !== 'string') throw superseded(mine.token.attempt, mine.token.pk)
      mine.token = { ...mine.token, calls: new Map(mine.token.calls).set(name, stands) }
      if (stands !== STARTED) taken.delete(name)
      return outcome.kind === 'refused' ? stands : undefined
    },
    forget: async (name) => {
      await writeHeld(mine, forgetCall(mine.token, name))
      const calls = new Map(mine.token.calls)
      calls.delete(name)
      mine.token = { ...mine.token, calls }
    },
    takeBytes: (name, bytes) => {
      const used = bytesOf(mine.token.calls.values())
      const most =
        Math.min(MAX_STORED - used, roomIn(mine.token) - FOR_MARKS) - bytesBeside(taken, name)
      if (bytes <= most) taken.set(name, Buffer.byteLength(name) + bytes)
      return most
    },
    assertRoom: (name) => {
      assertRoom(roomIn(mine.token) - bytesBeside(taken, name), name)
      taken.set(name, Buffer.byteLength(name) + FOR_A_CALL)
    },
  }
}

/**
 * Makes one fenced write.
 * @returns the refusal, unless it was the loss of the claim
 */
async function writeHeld(mine: OwnToken, update: Update): Promise<WriteOutcome> {
  const outcome = outcomeOrThrow(await mine.store.update([update]))
  if (wasWritten(outcome, update, mine.token)) return { kind: 'applied', item: outcome.item }
  if (outcome.item?.['attemptId'] !== mine.token.attemptId)
    throw superseded(mine.token.attempt, mine.token.pk)
  return outcome
}

interface UnclaimedParts extends Omit<TokenHoldParts, 'token' | 'isSurelyFirst'> {
  readonly request: ClaimRequest
}

/**
 * The hold of a first attempt that has claimed nothing yet. Its effects create the token of a request that has ended, in one
 * transaction, which only one of two attempts can commit. An attempt that fails claims first, and then stores what every hold
 * stores: without a token, a copy or a dead letter could be sent while another attempt makes the effects.
 */
export function claimedWhenItFails(parts: UnclaimedParts): Hold {
  const { request, store, retention, now } = parts
  const held = tokenHold({ ...parts, token: firstToken(request) })
  let ended = false
  let isClaimed = false
  let refusedBy: Item | undefined

  const isMine = (item: Item | undefined): boolean => item?.['attemptId'] === request.attemptId
  /** Creates the token. Its own token, whose answer was lost, is `as` the one that was to be created. */
  const create = async (token: Item & StoreKey, as: Value | undefined): Promise<WriteResult> => {
    const [outcome] = await store.create([token])
    if (hasNoAnswer(outcome)) return asFailed(outcome)
    const item = outcome?.kind === 'applied' ? undefined : outcome?.item
    if (item === undefined ? outcome?.kind === 'applied' : isMine(item) && item['status'] === as) {
      return { kind: 'written' }
    }
    refusedBy = item
    return lostTo(item, request, now())
  }
  const claimFirst =
    <Given extends readonly unknown[]>(write: (...given: Given) => Promise<WriteResult>) =>
    async (...given: Given): Promise<WriteResult> => {
      if (!isClaimed) {
        const claim = await create(newToken(request, now()), 'inProgress')
        // @protects an attempt without a claim fails only when it can claim
        // @tests test/consumer/returned
        if (claim.kind !== 'written') return claim
        isClaimed = true
      }
      return write(...given)
    }
  return {
    ...held,
    effects: {
      ...held.effects,
      mark: () => ({ create: endedToken(request, now(), retention) }),
      marked: () => {
        ended = true
      },
      judge: (item) => {
        if (isMine(item) && item?.['status'] === undefined) return 'set'
        refusedBy = item
        return 'lost'
      },
    },
    settle: async () =>
      ended ? { kind: 'written' } : create(endedToken(request, now(), retention), undefined),
    scheduleResend: claimFirst(held.scheduleResend),
    waitUntil: claimFirst(held.waitUntil),
    release: async () => {},
    startDeadLettering: claimFirst(held.startDeadLettering),
    explainLostClaim: async () => lostTo(refusedBy, request, now()),
  }
}

/**
 * How the request has ended, if it has: only then the message may be acknowledged. What else the token says is decided when SQS
 * delivers the message again.
 */
function lostTo(item: Item | undefined, request: ClaimRequest, now: number): WriteResult {
  const token = item && readToken(item)
  const verdict = token && decideClaim(token, request, now)
  return verdict?.kind === 'over'
    ? { kind: 'lost', over: verdict.as, otherPayload: verdict.otherPayload }
    : { kind: 'lost', over: undefined }
}
