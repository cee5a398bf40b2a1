import { hasCode, LostError, messageOf, toError } from '../base/errors.ts'
import { shortStack, stackOf } from '../base/stack.ts'
import { isObject } from '../base/kindOf.ts'
import type { Death } from '../claim/hold.ts'
import type { Settlement } from '../claim/settlement.ts'
import { asNestingError } from '../record/message/parsePayload.ts'
import { sendDeadLetter } from './deadLetter.ts'
import type { Attempt } from './delivery.ts'
import { retryRecord } from './retryRecord.ts'
import { settleAttempt, settleUnwritten } from './settle.ts'

type Failure =
  | { readonly kind: 'retry'; readonly after: number | undefined }
  /** The brake is on: retried, and the attempt does not count. */
  | { readonly kind: 'braked'; readonly after: number }
  /** A table or a queue did not answer: retried, and the attempt does not count. */
  | { readonly kind: 'unanswered' }
  | { readonly kind: 'deadLetter'; readonly reason: string }
  | { readonly kind: 'stale' }
  /** This attempt no longer holds the claim. */
  | { readonly kind: 'lost'; readonly error: Error }

const UNANSWERED = 'failed, will be retried without counting: a table or a queue did not answer'

/** It may have been done. */
const IN_DOUBT = 'unknown outcome'

/** Settles an attempt whose handler threw. Never rejects. */
export async function handleFailure(attempt: Attempt, thrown: unknown): Promise<Settlement> {
  const { incoming, hold, logger } = attempt
  const error = asNestingError(thrown, incoming.message.envelope.body)
  const text = messageOf(error)
  const whole = stackOf(error)
  const said = { error: text, ...(whole !== '' && { stack: whole }) }
  const stack = shortStack(whole)
  const held = await attempt.invocation.consumer.features.failed?.(error)
  const failure = judge(error, attempt, held)
  switch (failure.kind) {
    case 'lost':
      return settleUnwritten(await hold.explainLostClaim(), logger, failure.error)
    case 'stale':
      logger.info('dropped: the data are newer than the request', { error: text })
      return settleAttempt(attempt, 'stale')
    case 'retry':
      logger.warn('failed, will be retried', said)
      return retryRecord(attempt, { error: text, stack, counts: true, after: failure.after })
    case 'braked':
      logger.warn('failed, will be retried without counting: the brake is on', said)
      return retryRecord(attempt, { error: text, stack, counts: false, after: failure.after })
    case 'unanswered':
      logger[isWrongSetUp(error) ? 'error' : 'warn'](UNANSWERED, said)
      return retryRecord(attempt, { error: text, stack, counts: false })
    case 'deadLetter':
      logger.error(
        `${failure.reason === 'unknown' ? IN_DOUBT : 'failed for good'}, will be dead-lettered`,
        {
          reason: failure.reason,
          ...said,
        },
      )
      return deadLetter(attempt, { reason: failure.reason, error: text, stack })
  }
}

/** An object whose getters throw is an error like any other. */
function judge(error: unknown, attempt: Attempt, held: number | undefined): Failure {
  try {
    return classify(error, attempt, held)
  } catch {
    return classify(undefined, attempt, held)
  }
}

/** @param held until when the brake holds the record back, epoch milliseconds */
function classify(
  error: unknown,
  { incoming, hold, invocation }: Attempt,
  held: number | undefined,
): Failure {
  if (hasCode(error, 'SUPERSEDED')) return { kind: 'lost', error: toError(error) }
  if (hasCode(error, 'STALE')) return { kind: 'stale' }
  if (hasCode(error, 'UNKNOWN_OUTCOME')) return { kind: 'deadLetter', reason: 'unknown' }
  if (error instanceof LostError) return { kind: 'deadLetter', reason: `lost ${error.lost}` }
  if (hasCode(error, 'TERMINAL') || isPermanentMistake(error))
    return { kind: 'deadLetter', reason: 'terminal' }
  if (hasCode(error, 'REJECTED')) return { kind: 'deadLetter', reason: 'rejected' }
  const { maxAttempts, maxAge, clock } = invocation.consumer
  const notAfter = hold.notAfter ?? incoming.message.takenAt + maxAge
  const now = clock.now()
  // Never behind its time limit: it would die of the wait.
  if (held !== undefined && now < notAfter) {
    return { kind: 'braked', after: Math.max(Math.min(held, notAfter) - now, 0) }
  }
  const unanswered = isUnanswered(error)
  if (!unanswered && hold.attempt >= maxAttempts) return { kind: 'deadLetter', reason: 'exhausted' }
  const after = retryAfterOf(error, now)
  if (now + (after ?? 0) > notAfter) return { kind: 'deadLetter', reason: 'too old' }
  return unanswered ? { kind: 'unanswered' } : { kind: 'retry', after }
}

/** It will not pass by itself. */
function isWrongSetUp(error: unknown): boolean {
  return isObject(error) && error['reason'] === 'setUp'
}

/** How many nested causes are examined: a handler may wrap a Lineclear error in its own error. */
const MAX_CAUSES = 5

/** A table or a queue did not answer, or refused temporarily. */
function isUnanswered(error: unknown, depth = 0): boolean {
  if (typeof error !== 'object' || error === null || depth > MAX_CAUSES) return false
  if (hasCode(error, 'STORE_UNAVAILABLE')) return true
  if (hasCode(error, 'QUEUE_REFUSED')) return !isPermanentMistake(error)
  if (hasCode(error, 'RETRYABLE')) return false
  return 'cause' in error && isUnanswered(error.cause, depth + 1)
}

/** A mistake in the program or its configuration: the next attempt would fail in the same way. */
function isPermanentMistake(error: unknown): boolean {
  if (typeof error !== 'object' || error === null) return false
  const permanent = 'permanent' in error && error.permanent === true
  return hasCode(error, 'CONFIG') || (hasCode(error, 'QUEUE_REFUSED') && permanent)
}

/** Milliseconds, when the error itself says when to try again. */
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

async function deadLetter(attempt: Attempt, death: Death): Promise<Settlement> {
  const result = await attempt.hold.startDeadLettering(death)
  return result.kind === 'written'
    ? sendDeadLetter(attempt)
    : settleUnwritten(result, attempt.logger)
}
