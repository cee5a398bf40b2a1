import { hasCode, LostAnswerError, messageOf, toError } from '../../base/errors.ts'
import { stableId } from '../../base/ids.ts'
import { isObject } from '../../base/kindOf.ts'
import { shortStack, stackOf } from '../../base/stack.ts'
import type { FailedAttempt, Hold } from '../../protocol/claim/hold.ts'
import type { Settlement } from '../../protocol/claim/settlement.ts'
import { plausibleRetry } from '../../protocol/claim/token/decideClaim.ts'
import { buildResend } from '../../protocol/record/envelope/buildResend.ts'
import { asNestingError } from '../../protocol/record/message/parsePayload.ts'
import { mostAge } from '../../protocol/record/message/readMessage.ts'
import type { QueueMessage } from '../../protocol/send/messenger.ts'
import { isSetUp } from '../../protocol/send/refusal.ts'
import { chooseTransport, newTrace } from '../../protocol/send/retry.ts'
import { sendDeadLetter } from './sendDeadLetter.ts'
import type { Attempt } from './delivery.ts'
import { copyOptions, type IncomingRecord, receiptsOf, scopeOf, stampOf } from './readRecord.ts'
import { sendFitting } from './sendFitting.ts'
import { settleAttempt, settleUnwritten } from './settleAttempt.ts'

type Failure =
  /** `counts`: false when the record did not cause it. `after`: milliseconds, when the error says when to try again. */
  | { readonly kind: 'retry'; readonly counts: boolean; readonly after?: number | undefined }
  | { readonly kind: 'deadLetter'; readonly reason: string }
  | { readonly kind: 'stale' }
  /** This attempt no longer holds the claim. */
  | { readonly kind: 'lost'; readonly error: Error }

/** Settles an attempt whose handler threw. */
export async function handleFailure(attempt: Attempt, thrown: unknown): Promise<Settlement> {
  const { incoming, hold, logger, invocation } = attempt
  const error = asNestingError(thrown, incoming.message.envelope.body)
  const text = messageOf(error)
  const whole = stackOf(error)
  const said = { error: text, ...(whole !== '' && { stack: whole }) }
  const failed = { error: text, stack: shortStack(whole) }
  const heldUntil = await invocation.consumer.features.failed?.(error)
  const failure = judge(error, attempt, heldUntil)
  switch (failure.kind) {
    case 'lost': {
      const result = await hold.explainLostClaim()
      return result.kind === 'written'
        ? { kind: 'failed', error: failure.error }
        : settleUnwritten(result, logger, failure.error)
    }
    case 'stale':
      logger.info('dropped: the data are newer than the request', { error: text })
      return settleAttempt(attempt, 'stale')
    case 'retry': {
      const { counts, after } = failure
      const level = !counts && heldUntil === undefined && isWrongSetUp(error) ? 'error' : 'warn'
      logger[level](retryLine(counts, heldUntil), said)
      return retryRecord(attempt, { ...failed, counts }, after)
    }
    case 'deadLetter': {
      const { reason } = failure
      if (hold.afterDeath !== undefined) return giveUp(attempt, hold.afterDeath, said)
      // The log does not say `failed`, because the effect may have been made.
      const what = reason === 'unknown' ? 'unknown outcome' : 'failed for good'
      logger.error(`${what}, will be dead-lettered`, { reason, ...said })
      const result = await hold.startDeadLettering({ reason, ...failed })
      return result.kind === 'written' ? sendDeadLetter(attempt) : settleUnwritten(result, logger)
    }
  }
}

/** `onFailure` has failed for good. */
async function giveUp(
  { logger, invocation }: Attempt,
  { reason, giveUp: write }: NonNullable<Hold['afterDeath']>,
  said: { readonly error: string },
): Promise<Settlement> {
  logger.error('onFailure failed for good: the request waits for an operator', { reason, ...said })
  const result = await write(said.error)
  if (result.kind !== 'written') return settleUnwritten(result, logger)
  invocation.watch?.noticed?.('untold', 1)
  return { kind: 'deadLettered', reason }
}

function retryLine(counts: boolean, heldUntil: number | undefined): string {
  if (counts) return 'failed, will be retried'
  const why = heldUntil === undefined ? 'a table or a queue did not answer' : 'the circuit is open'
  return `failed, will be retried without counting: ${why}`
}

/** An object whose getters throw is an error like any other. */
function judge(error: unknown, attempt: Attempt, heldUntil: number | undefined): Failure {
  try {
    return classify(error, attempt, heldUntil)
  } catch {
    return classify(undefined, attempt, heldUntil)
  }
}

/** @param heldUntil until when the circuit breaker holds the record back, epoch milliseconds */
function classify(
  error: unknown,
  { incoming, hold, invocation }: Attempt,
  heldUntil: number | undefined,
): Failure {
  if (hasCode(error, 'SUPERSEDED')) return { kind: 'lost', error: toError(error) }
  if (hasCode(error, 'STALE')) return { kind: 'stale' }
  // @protects a call of unknown outcome is not repeated
  if (hasCode(error, 'UNKNOWN_OUTCOME')) return { kind: 'deadLetter', reason: 'unknown' }
  if (error instanceof LostAnswerError) return { kind: 'deadLetter', reason: 'lost answer' }
  if (hasCode(error, 'TERMINAL') || isPermanentMistake(error)) {
    return { kind: 'deadLetter', reason: 'terminal' }
  }
  if (hasCode(error, 'REJECTED')) return { kind: 'deadLetter', reason: 'rejected' }
  const { consumer } = invocation
  const { maxAttempts, clock } = consumer
  const { takenAt, envelope } = incoming.message
  // @protects a redriven dead letter is tried again after maxAge
  // @without hold.notAfter ?? takenAt + consumer.maxAge @tests test/proof/lifetimes
  const notAfter = hold.notAfter ?? takenAt + mostAge(envelope, consumer)
  const now = clock.now()
  // Never behind its time limit: it would die of the wait.
  if (heldUntil !== undefined && now < notAfter) {
    const after = Math.max(Math.min(heldUntil, notAfter) - now, 0)
    return { kind: 'retry', counts: false, after }
  }
  const unanswered = isUnanswered(error)
  // @protects attempts are limited
  if (!unanswered && hold.attempt >= maxAttempts) return { kind: 'deadLetter', reason: 'exhausted' }
  const after = retryAfterOf(error, now)
  // @protects a request is not tried again after its time limit
  if (now + (after ?? 0) > notAfter) return { kind: 'deadLetter', reason: 'too old' }
  // @protects a table that does not answer uses up no attempt
  // @without its else
  return unanswered ? { kind: 'retry', counts: false } : { kind: 'retry', counts: true, after }
}

/** Whether the set-up is wrong: then only a change of table, queue, role or client helps, not a later attempt. */
function isWrongSetUp(error: unknown): boolean {
  if (hasCode(error, 'SEND_FAILED') && error instanceof Error) return isSetUp(toError(error.cause))
  return isObject(error) && error['reason'] === 'setUp'
}

/** How many nested causes are examined: a handler may wrap a Lineclear error in its own error. */
const MAX_CAUSES = 5

/** A table or a queue did not answer, or refused temporarily. */
function isUnanswered(error: unknown, depth = 0): boolean {
  if (typeof error !== 'object' || error === null || depth > MAX_CAUSES) return false
  if (hasCode(error, 'STORE_UNAVAILABLE')) return true
  if (hasCode(error, 'SEND_FAILED')) return !isPermanentMistake(error)
  if (hasCode(error, 'RETRYABLE')) return false
  return 'cause' in error && isUnanswered(error.cause, depth + 1)
}

/** A mistake in the program or its configuration: the next attempt would fail in the same way. */
function isPermanentMistake(error: unknown): boolean {
  if (hasCode(error, 'CONFIG')) return true
  return hasCode(error, 'SEND_FAILED') && isObject(error) && error['permanent'] === true
}

/** Milliseconds, when the error itself says when to try again. */
function retryAfterOf(error: unknown, now: number): number | undefined {
  if (!isObject(error)) return undefined
  const { until, retryAfter } = error
  const inProgress = hasCode(error, 'IN_PROGRESS') && typeof until === 'number'
  const after = inProgress ? until - now : hasCode(error, 'RETRYABLE') ? retryAfter : undefined
  return typeof after === 'number' && Number.isFinite(after) ? Math.max(after, 0) : undefined
}

/**
 * Brings the record back for its next attempt: by a delayed copy, or by keeping the message hidden. With a copy: schedule → send →
 * confirm → acknowledge. If the process is killed at any point, a copy is left, and several copies cannot cause several executions.
 */
async function retryRecord(
  attempt: Attempt,
  failed: FailedAttempt,
  after: number | undefined,
): Promise<Settlement> {
  const { incoming, hold, invocation, logger } = attempt
  const { consumer, fifo } = invocation
  const { hops, resendNumber: askedRetry } = incoming.message.envelope.carried
  const resendNumber =
    Math.max(
      hold.resendNumber,
      // @protects a forged number does not make copies unreadable
      // @without its argument
      plausibleRetry(askedRetry),
    ) + 1
  // Failures that do not count as attempts wait longer each time, too.
  const nth = failed.counts ? hold.attempt : Math.max(resendNumber, receiptsOf(incoming.record))
  const delay = after ?? consumer.delay(nth, jitterOf(incoming, hold.attempt))
  const until = consumer.clock.now() + delay
  const transport = chooseTransport({ wanted: consumer.transport, fifo, hops })
  const build = (maxBytes?: number): QueueMessage | undefined =>
    copyOf(attempt, { resendNumber, notBefore: until, delay, maxBytes })
  const copy = transport === 'resend' ? build() : undefined
  const result = await (copy === undefined
    ? hold.waitUntil(until, failed)
    : hold.scheduleResend(resendNumber, until, failed))
  if (result.kind !== 'written') return settleUnwritten(result, logger)
  if (copy === undefined) return { kind: 'retrying', until }
  const refusal = await sendOrStore(attempt, resendNumber, until, copy, build)
  if (refusal !== undefined) {
    logger.warn('the copy was not accepted: the message itself comes back', {
      error: refusal.message,
    })
    // @protects a message is kept when its copy was not accepted
    return { kind: 'retrying', until }
  }
  await hold.confirmResend(resendNumber, until)
  return { kind: 'resent', resendNumber, until }
}

/** 0 to 1. Always the same for one request and attempt, so that a run can be reproduced; different for different requests. */
function jitterOf({ message }: IncomingRecord, attempt: number): number {
  const digest = stableId(message.uniqueRequestId, 'jitter', String(attempt))
  return Buffer.from(digest.slice(0, 4), 'base64url').readUInt16BE(0) / 0xffff
}

interface CopyRequest {
  readonly resendNumber: number
  readonly notBefore: number
  readonly delay: number
  readonly maxBytes: number | undefined
}

/** @returns undefined when the copy does not fit into a message, so that the original has to stay hidden instead */
function copyOf(
  { incoming, invocation: { consumer } }: Attempt,
  { resendNumber, notBefore, delay, maxBytes }: CopyRequest,
): QueueMessage | undefined {
  const { record, message } = incoming
  const stamp = {
    ...stampOf(incoming),
    consumer: scopeOf(incoming, consumer),
    resendNumber,
    hops: message.envelope.carried.hops + 1,
    notBefore: Math.ceil(notBefore),
  }
  const copy = buildResend(record, message.envelope, stamp, { maxBytes, toSource: true })
  if (copy === undefined) return undefined
  const traceHeader = newTrace(message.uniqueRequestId, message.sentAt)
  return { traceHeader, ...copy, ...copyOptions(record, delay) }
}

/** Stores a copy that its queue cannot delay for so long, if there is a place for it, else sends it. */
function sendOrStore(
  { incoming, hold, invocation }: Attempt,
  resendNumber: number,
  due: number,
  message: QueueMessage,
  build: (maxBytes: number) => QueueMessage | undefined,
): Promise<Error | undefined> {
  const { consumer, queue } = invocation
  const { features, retention: keepFor, clock } = consumer
  const { uniqueRequestId } = incoming.message
  const now = (): number => clock.now()
  const sender = { consumer: scopeOf(incoming, consumer), uniqueRequestId, hold, keepFor, now }
  const stored = features.keep?.(sender, { id: String(resendNumber), queue, message, due })
  return stored ?? sendFitting((copy) => invocation.send(queue, copy), message, build)
}
