import { hasCode, messageOf } from '../errors.ts'
import type { Logger } from '../logger.ts'
import type { Death, Hold } from '../hold/hold.ts'
import { tooDeepOr } from '../message/parsePayload.ts'
import { sendToDeadLetters } from './deadLetter.ts'
import { dropped, unwritten } from './dropped.ts'
import type { Invocation } from './invocation.ts'
import { retry } from './retryRecord.ts'
import { settleEnd } from './settleEnd.ts'
import type { Settlement } from './settlement.ts'
import type { Work } from './work.ts'

type Failure =
  | { readonly kind: 'retry'; readonly after: number | undefined }
  | { readonly kind: 'bury'; readonly reason: string }
  | { readonly kind: 'stale' }
  /** Nothing can be decided without the store. */
  | { readonly kind: 'leave'; readonly error: Error }
  /** This attempt no longer holds the claim. */
  | { readonly kind: 'lost'; readonly error: Error }

/** What becomes of a record whose handler threw. Never rejects. */
export async function fail(
  work: Work,
  hold: Hold,
  thrown: unknown,
  invocation: Invocation,
  logger: Logger,
): Promise<Settlement> {
  const error = tooDeepOr(thrown, work.message.envelope.body)
  const failure = classify(error, work, hold, invocation)
  switch (failure.kind) {
    case 'leave':
      logger.warn('left on the queue', { error: messageOf(error) })
      return { kind: 'failed', error: failure.error }
    case 'lost':
      return endLost(hold, failure.error, logger)
    case 'stale':
      logger.info('dropped: the data are newer than the request', { error: messageOf(error) })
      return settleEnd(hold, { kind: 'stale' }, invocation, logger)
    case 'retry':
      logger.warn('failed, will be tried again', { error: messageOf(error) })
      return retry(work, hold, failure.after, invocation, logger)
    case 'bury': {
      logger.error('failed for good, will be dead-lettered', {
        reason: failure.reason,
        error: messageOf(error),
      })
      return bury(
        work,
        hold,
        { reason: failure.reason, error: messageOf(error) },
        invocation,
        logger,
      )
    }
  }
}

function classify(error: unknown, { message }: Work, hold: Hold, invocation: Invocation): Failure {
  if (hasCode(error, 'SUPERSEDED')) return { kind: 'lost', error: asError(error) }
  if (hasCode(error, 'STORE_UNAVAILABLE')) return { kind: 'leave', error: asError(error) }
  if (hasCode(error, 'STALE')) return { kind: 'stale' }
  if (hasCode(error, 'UNKNOWN_OUTCOME')) return { kind: 'bury', reason: 'unknown' }
  if (hasCode(error, 'TERMINAL') || isMistake(error)) return { kind: 'bury', reason: 'terminal' }
  if (hasCode(error, 'REJECTED')) return { kind: 'bury', reason: 'rejected' }
  const { maxAttempts, maxAge, clock } = invocation.consumer
  if (hold.attempt >= maxAttempts) return { kind: 'bury', reason: 'exhausted' }
  const after = retryAfterOf(error, clock.now())
  const notAfter = hold.notAfter ?? message.sentAt + maxAge
  if (clock.now() + (after ?? 0) > notAfter) return { kind: 'bury', reason: 'too old' }
  return { kind: 'retry', after }
}

/** Of the program, not of the moment: the next attempt would make it again. */
function isMistake(error: unknown): boolean {
  if (typeof error !== 'object' || error === null) return false
  const permanent = 'permanent' in error && error.permanent === true
  return hasCode(error, 'CONFIG') || (hasCode(error, 'QUEUE_REFUSED') && permanent)
}

/** The message may go when its flow has moved on, and never because another attempt has it: that one may die. */
async function endLost(hold: Hold, error: Error, logger: Logger): Promise<Settlement> {
  const left = await hold.judgeLoss()
  if (left.kind === 'lost' && left.over !== undefined) return dropped(left.over, logger, left.by)
  logger.warn('left on the queue', { error: messageOf(error) })
  return { kind: 'failed', error }
}

function asError(error: unknown): Error {
  return error instanceof Error ? error : new Error(messageOf(error))
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
  hold: Hold,
  death: Death,
  invocation: Invocation,
  logger: Logger,
): Promise<Settlement> {
  const left = await hold.die(death)
  return left.kind === 'written'
    ? sendToDeadLetters(work, hold, invocation, logger)
    : unwritten(left, logger)
}
