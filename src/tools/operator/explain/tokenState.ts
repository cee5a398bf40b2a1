import { STARTED } from '../../../library/protocol/claim/hold.ts'
import type { Token } from '../../../library/protocol/claim/token/token.ts'
import { bodyOf } from '../../../library/protocol/record/message/message.ts'
import { stableId } from '../../../library/base/ids.ts'
import { isIdempotencyKey } from '../../../library/entries/sweeper/address.ts'
import { splitId } from '../text/itemId.ts'
import type { CallFacts } from './factParts.ts'
import type { Own, TokenFacts } from './facts.ts'

export type TokenState = Own<
  TokenFacts,
  'claimedAt' | 'claimedBy' | 'endedAt' | 'sent' | 'fates' | 'logs'
>

export function tokenState(token: Token, now: number): TokenState {
  const { attempt, fence, leaseUntil, notBefore, reason, error, stack, applied, calls } = token
  return {
    kind: isIdempotencyKey(token.pk) ? 'key' : 'request',
    status: statusOfToken(token, now),
    attempt,
    fence,
    leaseUntil: leaseUntil === 0 ? undefined : leaseUntil,
    notBefore: notBefore === 0 ? undefined : notBefore,
    rememberedUntil: rememberedUntil(token),
    sha256: token.payloadHash === undefined ? undefined : bodyOf(token.payloadHash),
    reason,
    error,
    stack,
    effects: [...applied],
    calls: [...calls].map(([name, stored]) => callFacts(name, stored, callKey(token, name))),
    deaths: token.death,
    final: token.ending?.final === true,
    untold: token.ending?.untold,
  }
}

export function statusOfToken(token: Token, now: number): TokenFacts['status'] {
  const { status, attempt, leaseUntil, notBefore } = token
  if (status === 'complete') return 'done'
  if (status !== 'inProgress') return status
  if (leaseUntil > now) return 'running'
  if (leaseUntil > 0) return 'lost'
  if (attempt === 0) return 'free'
  return notBefore > now ? 'waiting' : 'overdue'
}

function rememberedUntil({ status, ttl }: Token): TokenFacts['rememberedUntil'] {
  if (status !== 'complete') return undefined
  return ttl === undefined ? 'forever' : ttl * 1_000
}

/** As `ctx.call` makes it. A key whose function has no `ctx` makes none. */
function callKey({ pk, since }: Token, name: string): string | undefined {
  const { owner, rest } = splitId(pk)
  if (!isIdempotencyKey(pk)) return stableId(rest, owner, 'call', name)
  if (since === undefined) return undefined
  return stableId(rest, `${pk}#${since}`, 'call', name)
}

const DONE = 'done:'
const DONE_APART = 'done apart:'
const DONE_UNSTORED = 'done, not stored'

/** @param stored as the token or the result's own item holds it */
export function callFacts(name: string, stored: string, key: string | undefined): CallFacts {
  const none = { name, key, result: 'none', resultBytes: undefined } as const
  if (stored === '') return { ...none, state: 'done' }
  if (stored === DONE_UNSTORED) return { ...none, state: 'done', result: 'lost' }
  if (stored === STARTED) return { ...none, state: 'unknown' }
  if (stored.startsWith(DONE_APART)) return { ...none, state: 'done', result: 'apart' }
  if (!stored.startsWith(DONE)) return { ...none, state: 'other' }
  const resultBytes = Buffer.byteLength(stored.slice(DONE.length))
  return { ...none, state: 'done', result: 'stored', resultBytes }
}

/** Names of the calls that were begun and whose outcome is unknown, sorted: the attributes of an item have no order. */
export function unknownCalls(token: Token): readonly string[] {
  return [...token.calls]
    .filter(([, stored]) => stored === STARTED)
    .map(([name]) => name)
    .toSorted()
}

/** An operator lets it run again after it has died, and no attempt has begun. */
export function isReopened({ status, death, attempt }: Token): boolean {
  return status === 'inProgress' && death > 0 && attempt === 0
}

/** What a call of a key does, for `--not-done`, where its calls have no names. */
export const SECTION = 'section'

/** A key whose function has no `ctx`: its effects are not recorded, so it runs as a whole or not at all. */
export function isWholeSection({ pk, since }: Token): boolean {
  return isIdempotencyKey(pk) && since === undefined
}

/**
 * What `--not-done` has to name before it is released: the calls with an unknown outcome, or the section of a key. The section of a
 * key without `ctx` is unknown however it ended: nothing records what it has done outside.
 */
export function unknownOutcomes(token: Token): readonly string[] {
  if (isWholeSection(token)) return [SECTION]
  const calls = unknownCalls(token)
  const isSection = isIdempotencyKey(token.pk) && token.status === 'unknown' && calls.length === 0
  return isSection ? [SECTION] : calls
}
