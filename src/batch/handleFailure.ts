import { hasCode, messageOf } from '../errors.ts'
import type { Logger } from '../logger.ts'
import type { Death, Hold } from '../claim/hold.ts'
import { asNestingError } from '../record/message/parsePayload.ts'
import { sendDeadLetter } from './deadLetter.ts'
import { dropped, unwritten } from './dropped.ts'
import type { Invocation } from './invocation.ts'
import { retryRecord } from './retryRecord.ts'
import { settleEnd } from './settleEnd.ts'
import type { Settlement } from '../claim/settlement.ts'
import type { IncomingRecord } from './incomingRecord.ts'

type Failure =
  | { readonly kind: 'retry'; readonly after: number | undefined }
  /** A table or a queue did not answer. */
  | { readonly kind: 'giveBack' }
  | { readonly kind: 'deadLetter'; readonly reason: string }
  | { readonly kind: 'stale' }
  /** This attempt no longer holds the claim. */
  | { readonly kind: 'lost'; readonly error: Error }

/** What becomes of a record whose handler threw. Never rejects. */
export async function handleFailure(
  incoming: IncomingRecord,
  hold: Hold,
  thrown: unknown,
  invocation: Invocation,
  logger: Logger,
): Promise<Settlement> {
  const error = asNestingError(thrown, incoming.message.envelope.body)
  const failure = classify(error, incoming, hold, invocation)
  switch (failure.kind) {
    case 'lost':
      return settleLostClaim(hold, failure.error, logger)
    case 'stale':
      logger.info('dropped: the data are newer than the request', { error: messageOf(error) })
      return settleEnd(hold, { kind: 'stale' }, invocation, logger)
    case 'retry':
      logger.warn('failed, will be tried again', { error: messageOf(error) })
      return retryRecord(
        { incoming, hold, error: messageOf(error), counts: true, ...failure },
        invocation,
        logger,
      )
    case 'giveBack':
      logger.warn(
        'given back, since a table or a queue did not answer: the attempt does not count',
        {
          error: messageOf(error),
        },
      )
      return retryRecord(
        { incoming, hold, error: messageOf(error), counts: false },
        invocation,
        logger,
      )
    case 'deadLetter': {
      logger.error('failed for good, will be dead-lettered', {
        reason: failure.reason,
        error: messageOf(error),
      })
      return deadLetter(
        incoming,
        hold,
        { reason: failure.reason, error: messageOf(error) },
        invocation,
        logger,
      )
    }
  }
}

function classify(
  error: unknown,
  { message }: IncomingRecord,
  hold: Hold,
  invocation: Invocation,
): Failure {
  if (hasCode(error, 'SUPERSEDED')) return { kind: 'lost', error: asError(error) }
  if (hasCode(error, 'STALE')) return { kind: 'stale' }
  if (hasCode(error, 'UNKNOWN_OUTCOME')) return { kind: 'deadLetter', reason: 'unknown' }
  if (hasCode(error, 'TERMINAL') || isPermanentMistake(error))
    return { kind: 'deadLetter', reason: 'terminal' }
  if (hasCode(error, 'REJECTED')) return { kind: 'deadLetter', reason: 'rejected' }
  const { maxAttempts, maxAge, clock } = invocation.consumer
  const unanswered = isUnanswered(error)
  if (!unanswered && hold.attempt >= maxAttempts) return { kind: 'deadLetter', reason: 'exhausted' }
  const after = retryAfterOf(error, clock.now())
  const notAfter = hold.notAfter ?? message.takenAt + maxAge
  if (clock.now() + (after ?? 0) > notAfter) return { kind: 'deadLetter', reason: 'too old' }
  return unanswered ? { kind: 'giveBack' } : { kind: 'retry', after }
}

/** Errors in errors that are looked at: a handler may have put its own words around ours. */
const MAX_CAUSES = 5

/** A table or a queue gave no answer, or one that passes. */
function isUnanswered(error: unknown, depth = 0): boolean {
  if (typeof error !== 'object' || error === null || depth > MAX_CAUSES) return false
  if (hasCode(error, 'STORE_UNAVAILABLE')) return true
  if (hasCode(error, 'QUEUE_REFUSED')) return !isPermanentMistake(error)
  if (hasCode(error, 'RETRYABLE')) return false
  return 'cause' in error && isUnanswered(error.cause, depth + 1)
}

/** Of the program, not of the moment: the next attempt would make it again. */
function isPermanentMistake(error: unknown): boolean {
  if (typeof error !== 'object' || error === null) return false
  const permanent = 'permanent' in error && error.permanent === true
  return hasCode(error, 'CONFIG') || (hasCode(error, 'QUEUE_REFUSED') && permanent)
}

/** The message may go when its flow has moved on, and never because another attempt has it: that one may die. */
async function settleLostClaim(hold: Hold, error: Error, logger: Logger): Promise<Settlement> {
  const left = await hold.explainLostClaim()
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
  return typeof after === 'number' && Number.isFinite(after) ? Math.max(after, 0) : undefined
}

async function deadLetter(
  incoming: IncomingRecord,
  hold: Hold,
  death: Death,
  invocation: Invocation,
  logger: Logger,
): Promise<Settlement> {
  const left = await hold.startDeadLettering(death)
  return left.kind === 'written'
    ? sendDeadLetter(incoming, hold, invocation, logger)
    : unwritten(left, logger)
}
