import type { FailedAttempt } from '../claim/hold.ts'
import type { Settlement } from '../claim/settlement.ts'
import { plausibleRetry } from '../claim/token/decideClaim.ts'
import { stableId } from '../base/ids.ts'
import type { QueueMessage } from '../send/messenger.ts'
import { newTrace, chooseTransport } from '../send/retry.ts'
import { buildResend } from '../record/envelope/buildResend.ts'
import { scopeOf, copyOptions, type IncomingRecord, receiptsOf, stampOf } from './incomingRecord.ts'
import type { Attempt } from './delivery.ts'
import { settleUnwritten } from './settle.ts'

interface FailedRun extends FailedAttempt {
  /** Milliseconds until the next attempt, when the error specifies it. */
  readonly after?: number | undefined
}

interface NextAttempt {
  readonly failed: FailedRun
  readonly resendNumber: number
  /** Milliseconds. */
  readonly delay: number
  /** Epoch milliseconds. */
  readonly notBefore: number
}

/** Brings the record back for its next attempt: by a delayed copy, or by keeping the message hidden. */
export async function retryRecord(attempt: Attempt, failed: FailedRun): Promise<Settlement> {
  const { incoming, hold, invocation } = attempt
  const { consumer, fifo } = invocation
  const { hops, retry } = incoming.message.envelope.carried
  const resendNumber = Math.max(hold.resendNumber, plausibleRetry(retry)) + 1
  // Failures that do not count as attempts wait longer each time, too.
  const nth = failed.counts ? hold.attempt : Math.max(resendNumber, receiptsOf(incoming.record))
  const delay = failed.after ?? consumer.delay(nth, jitterOf(incoming, hold.attempt))
  const notBefore = consumer.clock.now() + delay
  const next: NextAttempt = { failed, resendNumber, delay, notBefore }
  const transport = chooseTransport({ wanted: consumer.transport, fifo, hops })
  const copy = transport === 'resend' ? copyOf(attempt, next) : undefined
  return copy === undefined ? stayHidden(attempt, next) : resend(attempt, next, copy)
}

/** 0 to 1. Always the same for one request and attempt, so that a run can be reproduced; different for different requests. */
function jitterOf({ message }: IncomingRecord, attempt: number): number {
  const digest = stableId(message.uniqueRequestId, 'jitter', String(attempt))
  return Buffer.from(digest.slice(0, 4), 'base64url').readUInt16BE(0) / 0xffff
}

async function stayHidden(
  { hold, logger }: Attempt,
  { failed, notBefore }: NextAttempt,
): Promise<Settlement> {
  const result = await hold.waitUntil(notBefore, failed)
  return result.kind === 'written'
    ? { kind: 'retrying', until: notBefore }
    : settleUnwritten(result, logger)
}

/**
 * Schedule → send → confirm → acknowledge. If the process is killed at any point, a copy is left, and several copies cannot cause
 * several executions.
 */
async function resend(
  attempt: Attempt,
  next: NextAttempt,
  copy: QueueMessage,
): Promise<Settlement> {
  const { hold, logger } = attempt
  const { failed, resendNumber, notBefore } = next
  const result = await hold.scheduleResend(resendNumber, notBefore, failed)
  if (result.kind !== 'written') return settleUnwritten(result, logger)
  const failure = await sendOrStore(attempt, next, copy)
  if (failure !== undefined) {
    logger.warn('the copy was not accepted: the message itself comes back', {
      error: failure.message,
    })
    return { kind: 'retrying', until: notBefore }
  }
  await hold.confirmResend(resendNumber, notBefore)
  return { kind: 'resent', retry: resendNumber, until: notBefore }
}

/** Stores a copy that its queue cannot delay for so long, if there is a place for it, else sends it. */
function sendOrStore(
  { incoming, hold, invocation }: Attempt,
  { resendNumber, notBefore }: NextAttempt,
  message: QueueMessage,
): Promise<Error | undefined> {
  const { consumer, queue } = invocation
  const { features, retention: keepFor, clock } = consumer
  const { uniqueRequestId } = incoming.message
  const now = (): number => clock.now()
  const sender = { consumer: scopeOf(incoming, consumer), uniqueRequestId, hold, keepFor, now }
  const copy = { id: String(resendNumber), queue, message, due: notBefore }
  const stored = features.keep?.(sender, copy)
  return stored ?? invocation.send(queue, message)
}

/** @returns undefined when the copy does not fit into a message, so that the original has to stay hidden instead */
function copyOf(
  { incoming, invocation: { consumer } }: Attempt,
  { resendNumber, delay, notBefore }: NextAttempt,
): QueueMessage | undefined {
  const { record, message } = incoming
  const stamp = {
    ...stampOf(incoming),
    consumer: scopeOf(incoming, consumer),
    retry: resendNumber,
    hops: message.envelope.carried.hops + 1,
    notBefore: Math.ceil(notBefore),
  }
  const copy = buildResend(record, message.envelope, stamp, { form: consumer.resendForm })
  if (copy === undefined) return undefined
  const traceHeader = newTrace(message.uniqueRequestId, message.sentAt)
  return { traceHeader, ...copy, ...copyOptions(record, delay) }
}
