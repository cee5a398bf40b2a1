import type { LogFields } from '../logger.ts'
import { deadLetterWithoutRun, sendDeadLetter } from './deadLetter.ts'
import { dropped, duplicateOf } from './dropped.ts'
import type { Invocation } from './invocation.ts'
import type { Claim } from './claimStrategy.ts'
import { recordLogger } from './recordLogger.ts'
import type { Settlement } from '../claim/settlement.ts'
import { deferUntilFree } from './deferUntilFree.ts'
import type { IncomingRecord } from './incomingRecord.ts'

type Unclaimed = Exclude<Claim, { kind: 'claimed' | 'silent' }>

/** What becomes of a record that is not to be run. Never rejects. */
export async function settleWithoutRun(
  incoming: IncomingRecord,
  claim: Unclaimed,
  invocation: Invocation,
): Promise<Settlement> {
  const { message } = incoming
  const logger = recordLogger(invocation.consumer, message, logFieldsOf(incoming, claim))
  switch (claim.kind) {
    case 'over':
      return claim.as === 'duplicate' || claim.as === 'dead'
        ? duplicateOf(claim.as, logger, claim.reason)
        : dropped(claim.as, logger)
    case 'replaced':
      logger.info('dropped: a newer copy is on the queue')
      return { kind: 'replaced' }
    case 'passedOn':
      logger.info('passed on', { as: claim.as })
      return { kind: 'passedOn' }
    case 'busy':
      return deferUntilFree(incoming, claim.until, invocation, logger)
    case 'held':
    case 'early':
      logger.info('deferred', { why: claim.kind, until: new Date(claim.until).toISOString() })
      return { kind: 'deferred', until: claim.until }
    case 'refuse':
      return deadLetterWithoutRun(incoming, claim.refusal, invocation, logger)
    case 'deadLettering': {
      const { reason, error } = claim.hold.deathReport()
      logger.error('its attempts or its time are used up, will be dead-lettered', { reason, error })
      return sendDeadLetter(incoming, claim.hold, invocation, logger)
    }
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

/** Which delivery this was: the sender knows its message by the message id, and copies of one request are told by `retry`. */
function logFieldsOf({ record, message }: IncomingRecord, claim: Unclaimed): LogFields {
  const { retry } = message.envelope.carried
  const own = claim.kind === 'deadLettering' ? claim.hold.fields : claim.about
  return { messageId: record.messageId, ...(retry === 0 ? {} : { retry }), ...own }
}
