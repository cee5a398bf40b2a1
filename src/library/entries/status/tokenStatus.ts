import { hasExpired } from '../../base/limits/lifetime.ts'
import { sortableTime } from '../../base/ids.ts'
import { isoTime } from '../../base/time.ts'
import type { Token } from '../../protocol/claim/token/token.ts'
import type { RequestStatus } from './status.ts'

/** @returns undefined for an end that is remembered no longer, whether or not DynamoDB has deleted it */
export function tokenStatus(
  token: Token,
  endedAt: string | undefined,
  now: number,
): RequestStatus | undefined {
  const { status, attempt, leaseUntil, notBefore, ttl, reason, ending } = token
  // @protects an end that is over its time is not told as remembered
  // @without false
  const isOver = status !== 'inProgress' && hasExpired(ttl, now)
  if (isOver) return undefined
  switch (status) {
    case 'complete':
      return { state: 'completed', at: endedAt }
    case 'inProgress':
      // @protects a lost attempt is not told as running
      // @without true
      return leaseUntil > now
        ? { state: 'running', attempt, since: beganAt(token.attemptId) }
        : { state: 'retrying', attempt, notBefore: dueAt(notBefore, now) }
    case 'dying':
    case 'ending':
    case 'error':
    case 'unknown':
      return { state: 'dead', reason, final: ending?.final === true }
  }
}

/** The id of an attempt begins with the time of its claim. */
export function beganAt(attemptId: string): string | undefined {
  const time = sortableTime(attemptId)
  return time === undefined ? undefined : isoTime(time)
}

export function dueAt(notBefore: number, now: number): string | undefined {
  return notBefore > now ? isoTime(notBefore) : undefined
}
