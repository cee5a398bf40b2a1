import type { LogFields } from '../../base/logger.ts'
import type { Settlement } from '../../protocol/claim/settlement.ts'
import { buildResend } from '../../protocol/record/envelope/buildResend.ts'
import type { Message } from '../../protocol/record/message/message.ts'
import type { QueueMessage } from '../../protocol/send/messenger.ts'
import { chooseTransport } from '../../protocol/send/retry.ts'
import type { Claim } from './claimStrategy.ts'
import { deadLetterWithoutRun, sendDeadLetter } from './sendDeadLetter.ts'
import { type Delivery, openAttempt, openDelivery } from './delivery.ts'
import { copyOptions, type IncomingRecord, receiptsOf, stampOf } from './readRecord.ts'
import type { Invocation } from './invocation.ts'
import { sendFitting } from './sendFitting.ts'
import { drop, dropOther } from './settleAttempt.ts'
import { MIN_PAUSE_MS, pauseForKey, pauseForStage } from './pauses.ts'

/** Settles a record that is not to be run. */
export async function settleWithoutRun(
  incoming: IncomingRecord,
  claim: Exclude<Claim, { kind: 'claimed' | 'silent' }>,
  invocation: Invocation,
): Promise<Settlement> {
  if (claim.kind === 'deadLettering') {
    const attempt = openAttempt(incoming, invocation, claim.hold, fieldsOf(incoming))
    const { reason, error } = claim.hold.deathReport()
    const fields = { reason, error }
    attempt.logger.error('retry budget or time limit exhausted, will be dead-lettered', fields)
    return sendDeadLetter(attempt)
  }
  const delivery = openDelivery(incoming, invocation, { ...fieldsOf(incoming), ...claim.about })
  const { logger } = delivery
  switch (claim.kind) {
    case 'over': {
      const end = claim.otherPayload === true ? dropOther : drop
      return end(claim.as, logger, claim.reason === undefined ? {} : { reason: claim.reason })
    }
    case 'replaced':
      if (claim.otherPayload === true) return dropOther(claim.kind, logger)
      logger.info('dropped: a newer copy is on the queue')
      return { kind: 'replaced' }
    case 'accepted':
      logger.info('accepted', { as: claim.as })
      return { kind: 'accepted' }
    case 'busy':
      return deferUntilFree(delivery, claim.until)
    case 'held':
    case 'early':
      logger.info('deferred', { why: claim.kind, until: new Date(claim.until).toISOString() })
      return { kind: 'deferred', until: claim.until }
    case 'refuse':
      return deadLetterWithoutRun(delivery, claim.refusal)
    case 'failed':
      logger.error('left on the queue', { error: claim.error.message })
      return { kind: 'failed', error: claim.error }
  }
}

/** Identifies the delivery in the log: senders know their message by its id, and copies of one request differ in `retry`. */
function fieldsOf({ record: { messageId }, message }: IncomingRecord): LogFields {
  const { resendNumber } = message.envelope.carried
  return { messageId, ...(resendNumber === 0 ? {} : { resendNumber }) }
}

/** The most receipts of one copy. Each counts for the queue's redrive policy, which would move the message after a few more. */
const MAX_RECEIPTS = 3

/**
 * Another request has the key, and no event reports when the key is free, so the message polls with backoff. After a few receipts
 * a fresh copy replaces it, whose receipts count from one.
 * @param leaseUntil when the other request's lease expires, epoch milliseconds. An expired one does not tell when the key will be
 * free: its holder continues only when its queue delivers it.
 */
async function deferUntilFree(delivery: Delivery, leaseUntil: number): Promise<Settlement> {
  const { incoming, invocation, logger } = delivery
  const { consumer, fifo } = invocation
  const { record, message } = incoming
  const { hops, resendNumber, asked: askedBefore = 0 } = message.envelope.carried
  const now = consumer.clock.now()
  const receipts = receiptsOf(record)
  const asked = askedBefore + receipts
  const pause = isSentByStage(message) ? pauseForStage(asked) : pauseForKey(now - message.takenAt)
  const latest = leaseUntil > now ? Math.max(leaseUntil, now + MIN_PAUSE_MS) : Infinity
  const until = Math.min(now + pause, latest)
  const why = isSentByStage(message)
    ? 'the stage that handed on has not settled'
    : 'another request has the key'
  logger.info(`deferred: ${why}`, { until: new Date(until).toISOString() })
  const transport = chooseTransport({ wanted: consumer.transport, fifo, hops })
  // @protects a message that waits is not moved by the redrive policy
  // @without true @tests test/flow/conflicts
  if (transport === 'visibility' || receipts < MAX_RECEIPTS) return { kind: 'deferred', until }
  const stamp = { ...stampOf(incoming), resendNumber, hops: hops + 1, asked }
  const options = copyOptions(record, until - now)
  const build = (maxBytes?: number): QueueMessage | undefined => {
    const copy = buildResend(record, message.envelope, stamp, { maxBytes, toSource: true })
    return copy && { ...copy, ...options }
  }
  const again = build()
  if (again === undefined) return { kind: 'deferred', until }
  const failure = await sendFitting((copy) => invocation.send(invocation.queue, copy), again, build)
  return failure === undefined
    ? { kind: 'resent', resendNumber, until }
    : { kind: 'deferred', until }
}

/** A message of the first stage carries its run once the run has begun, although no stage has sent it. */
function isSentByStage({ envelope }: Message<unknown>): boolean {
  const { flow } = envelope.carried
  return flow !== undefined && flow.from !== ''
}
