import type { Settlement } from '../claim/settlement.ts'
import type { LogFields } from '../base/logger.ts'
import type { Claim } from './claimStrategy.ts'
import { deadLetterWithoutRun, sendDeadLetter } from './deadLetter.ts'
import { deferUntilFree } from './deferUntilFree.ts'
import { openAttempt, openDelivery } from './delivery.ts'
import type { IncomingRecord } from './incomingRecord.ts'
import type { Invocation } from './invocation.ts'
import { drop, dropOther } from './settle.ts'

/** Settles a record that is not to be run. Never rejects. */
export async function settleWithoutRun(
  incoming: IncomingRecord,
  claim: Exclude<Claim, { kind: 'claimed' | 'silent' }>,
  invocation: Invocation,
): Promise<Settlement> {
  if (claim.kind === 'deadLettering') {
    const attempt = openAttempt(incoming, invocation, claim.hold, fieldsOf(incoming))
    const { reason, error } = claim.hold.deathReport()
    attempt.logger.error('retry budget or time limit exhausted, will be dead-lettered', {
      reason,
      error,
    })
    return sendDeadLetter(attempt)
  }
  const delivery = openDelivery(incoming, invocation, { ...fieldsOf(incoming), ...claim.about })
  const { logger } = delivery
  switch (claim.kind) {
    case 'over': {
      const fields = claim.reason === undefined ? {} : { reason: claim.reason }
      return claim.otherPayload === true
        ? dropOther(claim.as, logger, fields)
        : drop(claim.as, logger, fields)
    }
    case 'replaced':
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
    case 'unreadable':
      logger.error(
        'left on the queue: its token or stage record was written by a newer version, or by hand',
      )
      return { kind: 'failed', error: new Error('what the store holds of it cannot be read') }
    case 'failed':
      logger.error('left on the queue', { error: claim.error.message })
      return { kind: 'failed', error: claim.error }
  }
}

/** Identifies the delivery in the log: senders know their message by its id, and copies of one request differ in `retry`. */
function fieldsOf({ record, message }: IncomingRecord): LogFields {
  const { retry } = message.envelope.carried
  return { messageId: record.messageId, ...(retry === 0 ? {} : { retry }) }
}
