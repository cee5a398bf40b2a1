import { applyUpdate } from '../../../src/library/adapters/store/memory/ownItems.ts'
import { endAct, giveUpAct } from '../../../src/library/protocol/claim/token/actWrites.ts'
import {
  newToken,
  takeOver,
  writeOfMessage,
} from '../../../src/library/protocol/claim/token/claimWrites.ts'
import {
  type ClaimRequest,
  decideClaim,
} from '../../../src/library/protocol/claim/token/decideClaim.ts'
import { complete } from '../../../src/library/protocol/claim/token/settleWrites.ts'
import { readToken, type Token } from '../../../src/library/protocol/claim/token/token.ts'
import {
  addEffect,
  confirmResend,
  finishDeadLettering,
  scheduleResend,
  startDeadLettering,
} from '../../../src/library/protocol/claim/token/tokenWrites.ts'
import { withFormat } from '../../../src/library/protocol/store/format.ts'
import type { Item, Update } from '../../../src/library/protocol/store/store.ts'
import { plain, type Plain } from './plain.ts'
import type { Value } from './tla/values.ts'

/** The bounds that a decision of the code is told of. */
export interface Told {
  readonly OnFailure: 'none' | 'told' | 'final'
  readonly MaxAttempts: number
}

export interface TokenState {
  readonly status: 'none' | 'inProgress' | 'dying' | 'ending' | 'error' | 'complete'
  readonly owner: number
  readonly payload: 'none' | 'good' | 'other'
  readonly attempt: number
  readonly lease: 'none' | 'live' | 'over'
  readonly waits: boolean
  readonly resend: number
  readonly confirmed: boolean
  readonly death: number
  readonly marked: boolean
  readonly told: readonly number[]
  readonly final: boolean
  readonly untold: boolean
}

export interface TokenMessage {
  readonly form: 'good' | 'other' | 'invalid'
  readonly retry: number
  readonly death: number
  readonly letter: boolean
}

export interface TokenWorker {
  readonly pc: string
  readonly id: number
  readonly message: TokenMessage
  readonly seen: TokenState
}

/** Epoch milliseconds. A lease is over before, or live after. */
const [OVER, NOW, LIVE, LATER] = [1_000, 1_500, 2_000, 3_000]
const RETENTION = 1e9
const LEASES = { none: 0, over: OVER, live: LIVE }
const HASHES = { none: undefined, good: 'hash of good', other: 'hash of other' }

function itemOf(state: TokenState): (Item & { pk: string; sk: string }) | undefined {
  const { status, owner, attempt, lease, waits, resend, confirmed, death, final, untold } = state
  if (status === 'none') return undefined
  const hash = HASHES[state.payload]
  return {
    pk: 'lock#c/r',
    sk: 'token',
    ...(status !== 'complete' && { status }),
    attemptId: `a${owner}`,
    attempt,
    // Only of the first claim it is 1.
    fence: attempt === 1 && death === 0 ? owner : owner + 1,
    leaseUntil: LEASES[lease],
    ...(hash !== undefined && { payloadHash: hash }),
    ...(waits && { notBefore: LATER }),
    resendNumber: resend,
    confirmed,
    death,
    ...(death > 0 && { reason: 'exhausted', attempts: 1 }),
    ...(state.marked && { applied: new Set(['e']) }),
    ...(state.told.length > 0 && { ended: new Set(state.told.map((each) => `${each}:e`)) }),
    ...(final && { final }),
    ...(untold && { untold: 'an error' }),
  }
}

function stateOf(item: Item): TokenState {
  const token = tokenOf(item)
  const { leaseUntil, payloadHash, ending } = token
  const told = [...(ending?.applied ?? [])].map((mark) => Number(mark.split(':')[0]))
  return {
    status: token.status as TokenState['status'],
    owner: Number(token.attemptId.slice(1)),
    payload: payloadHash === HASHES.good ? 'good' : payloadHash === HASHES.other ? 'other' : 'none',
    attempt: token.attempt,
    lease: leaseUntil === 0 ? 'none' : leaseUntil > NOW ? 'live' : 'over',
    waits: token.notBefore > NOW,
    resend: token.resendNumber,
    confirmed: token.confirmed,
    death: token.death,
    marked: token.applied.has('e'),
    told,
    final: ending?.final === true,
    untold: ending?.untold !== undefined,
  }
}

function tokenOf(item: Item): Token {
  const token = readToken(item)
  if (token === undefined) throw new Error(`no token: ${JSON.stringify(item)}`)
  return token
}

function requestOf({ message, id }: TokenWorker, { OnFailure, MaxAttempts }: Told): ClaimRequest {
  const { form, retry, death, letter } = message
  return {
    pk: 'lock#c/r',
    attemptId: `a${id}`,
    lockedBy: 'a worker',
    leaseUntil: LIVE,
    expectedCompletion: LIVE,
    maxAttempts: MaxAttempts,
    payloadHash: HASHES[form === 'other' ? 'other' : 'good'],
    trustsUnhashed: false,
    resendNumber: retry,
    death: death === 0 ? undefined : death,
    deadLetter: letter,
    refused: form === 'invalid',
    refusal: { reason: 'rejected', error: 'unreadable' },
    isTold: OnFailure !== 'none',
  }
}

/** What the code says of a message. */
export function verdictOfToken(state: TokenState, worker: TokenWorker, told: Told): string {
  const item = itemOf(state)
  return decideClaim(item && tokenOf(item), requestOf(worker, told), NOW).kind
}

/** The token after the write of the code; undefined: it is refused. */
export function writtenToken(
  state: TokenState,
  worker: TokenWorker,
  told: Told,
): Plain | undefined {
  const item = itemOf(state)
  if (worker.pc === 'start') {
    return item === undefined ? sorted(stateOf(newToken(requestOf(worker, told), NOW))) : undefined
  }
  if (item === undefined) return undefined
  const outcome = applyUpdate(withFormat(item), updateOf(state, worker, told))
  if (outcome.kind !== 'applied' || outcome.item === undefined) return undefined
  return sorted(stateOf(outcome.item))
}

function sorted(state: TokenState): Plain {
  return { ...state, told: state.told.toSorted((one, other) => one - other) }
}

/** Time has passed for what an attempt knows, too. */
function asOf(state: TokenState, { seen }: TokenWorker): Token {
  const isSame = state.owner === seen.owner && state.lease !== 'none' && seen.lease !== 'none'
  const item = itemOf(isSame ? { ...seen, lease: state.lease } : seen)
  if (item === undefined) throw new Error('it has seen no token')
  return tokenOf(item)
}

function updateOf(state: TokenState, worker: TokenWorker, told: Told): Update {
  const token = asOf(state, worker)
  const request = requestOf(worker, told)
  const end = told.OnFailure === 'none' ? undefined : told.OnFailure
  const { resend } = worker.seen
  // Made a second time, the write has the same time again.
  const due = state.resend > resend && !state.waits ? OVER : LATER
  switch (worker.pc) {
    case 'takeOver':
      return takeOver(token, request, NOW)
    case 'reopen':
      return writeOfMessage({ kind: 'reopen', token }, request, NOW)
    case 'deadLetter':
      return writeOfMessage({ kind: 'deadLetter', token, because: 'exhausted' }, request, NOW)
    case 'effect':
      return addEffect(token, 'e')
    case 'settle':
      return token.status === 'ending'
        ? endAct(token, NOW, RETENTION)
        : complete(token, NOW, RETENTION)
    case 'giveUp':
      return giveUpAct(token, 'an error', NOW)
    case 'resend':
      return scheduleResend(token, resend + 1, due, { error: 'an error', counts: true })
    case 'confirm':
      return confirmResend(token)
    case 'dying':
      return startDeadLettering(token, { reason: 'exhausted', error: 'an error' }, NOW)
    case 'bury':
      return finishDeadLettering({ ...token, status: 'dying' }, NOW, end)
    default:
      throw new Error(`${worker.pc} writes nothing`)
  }
}

export function tokenState(value: Value): TokenState {
  return plain(value) as unknown as TokenState
}

export function tokenWorker(value: Value): TokenWorker {
  return plain(value) as unknown as TokenWorker
}
