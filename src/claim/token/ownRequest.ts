import type { ClaimRequest, TokenVerdict } from './decideClaim.ts'
import type { Token } from './token.ts'

/** The part of a claim that is known only for calls whose effects go through `ctx`. */
export interface FencedCall {
  /** Until when this attempt counts as alive, epoch milliseconds. undefined: Lambda cannot retry this call as the same request. */
  readonly aliveUntil: number | undefined
}

/**
 * Lambda retries an asynchronous invocation under the same request id, one and two minutes after it failed, and never again.
 * With the lease of a killed attempt that had many minutes left, both retries would be refused and the event would be lost to the
 * function. So a retry of the same request takes over as soon as the holder has given no sign of life for half a minute. A
 * request id alone proves nothing, because Lambda may deliver an event twice without an error.
 *
 * This cannot be wrong in a way that matters: if the holder is alive after all, the takeover has fenced its writes, and a call
 * with effect `once` or `verify` begins with a write.
 */
export function withOwnDeadAttempt(
  verdict: TokenVerdict,
  token: Token | undefined,
  request: Pick<ClaimRequest, 'lockedBy'> & { readonly fenced?: FencedCall | undefined },
  now: number,
): TokenVerdict {
  if (verdict.kind !== 'held' || token === undefined) return verdict
  if (token.status !== 'inProgress' || token.aliveUntil === undefined) return verdict
  if (request.fenced?.aliveUntil === undefined || token.lockedBy !== request.lockedBy)
    return verdict
  return token.aliveUntil <= now ? { kind: 'takeOver', token } : verdict
}
