import { hasCode, messageOf } from '../errors.ts'
import type { Logger } from '../logger.ts'
import { die, landed } from '../lock/settleWrites.ts'
import type { Token } from '../lock/token.ts'
import { tooDeepOr } from '../message/parsePayload.ts'
import { dying, sendToDeadLetters } from './deadLetter.ts'
import type { Invocation } from './invocation.ts'
import { retry } from './retryRecord.ts'
import { settleEnd } from './settleEnd.ts'
import type { Settlement } from './settlement.ts'
import type { Work } from './work.ts'

type Failure =
  | { readonly kind: 'retry'; readonly after: number | undefined }
  | { readonly kind: 'bury'; readonly reason: string }
  | { readonly kind: 'stale' }
  /** Nothing can be decided without the store, or by an attempt that no longer holds the claim. */
  | { readonly kind: 'leave'; readonly error: Error }

/** What becomes of a record whose handler threw. Never rejects. */
export async function fail(
  work: Work,
  token: Token,
  thrown: unknown,
  invocation: Invocation,
  logger: Logger,
): Promise<Settlement> {
  const error = tooDeepOr(thrown, work.message.envelope.body)
  const failure = classify(error, work, token, invocation)
  switch (failure.kind) {
    case 'leave':
      logger.warn('left on the queue', { error: messageOf(error) })
      return { kind: 'failed', error: failure.error }
    case 'stale':
      logger.info('dropped: the data are newer than the request', { error: messageOf(error) })
      return settleEnd(token, { kind: 'stale' }, invocation, logger)
    case 'retry':
      logger.warn('failed, will be tried again', { error: messageOf(error) })
      return retry(work, token, failure.after, invocation, logger)
    case 'bury': {
      logger.error('failed for good, will be dead-lettered', {
        reason: failure.reason,
        error: messageOf(error),
      })
      return bury(
        work,
        token,
        { reason: failure.reason, error: messageOf(error) },
        invocation,
        logger,
      )
    }
  }
}

function classify(
  error: unknown,
  { message }: Work,
  token: Token,
  invocation: Invocation,
): Failure {
  if (hasCode(error, 'SUPERSEDED') || hasCode(error, 'STORE_UNAVAILABLE')) {
    return { kind: 'leave', error: error instanceof Error ? error : new Error(messageOf(error)) }
  }
  if (hasCode(error, 'STALE')) return { kind: 'stale' }
  if (hasCode(error, 'UNKNOWN_OUTCOME')) return { kind: 'bury', reason: 'unknown' }
  if (hasCode(error, 'TERMINAL')) return { kind: 'bury', reason: 'terminal' }
  if (hasCode(error, 'REJECTED')) return { kind: 'bury', reason: 'rejected' }
  const { maxAttempts, maxAge, clock } = invocation.consumer
  if (token.attempt >= maxAttempts) return { kind: 'bury', reason: 'exhausted' }
  const after = retryAfterOf(error, clock.now())
  if (clock.now() + (after ?? 0) > message.sentAt + maxAge)
    return { kind: 'bury', reason: 'too old' }
  return { kind: 'retry', after }
}

/** Milliseconds, when the error itself says when. */
function retryAfterOf(error: unknown, now: number): number | undefined {
  if (typeof error !== 'object' || error === null) return undefined
  const after =
    hasCode(error, 'IN_PROGRESS') && 'until' in error && typeof error.until === 'number'
      ? error.until - now
      : hasCode(error, 'RETRYABLE') && 'retryAfter' in error
        ? error.retryAfter
        : undefined
  return typeof after === 'number' ? Math.max(after, 0) : undefined
}

async function bury(
  work: Work,
  token: Token,
  death: { readonly reason: string; readonly error: string },
  invocation: Invocation,
  logger: Logger,
): Promise<Settlement> {
  const update = die(token, death, invocation.consumer.clock.now())
  const outcome = await invocation.commit(update)
  if (outcome.kind === 'failed') return { kind: 'failed', error: outcome.error }
  if (!landed(outcome, update, token)) {
    return { kind: 'failed', error: new Error('another attempt has taken over the record') }
  }
  return sendToDeadLetters(work, dying(token, death), invocation, logger)
}
