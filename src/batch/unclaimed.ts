import type { Over } from '../hold/hold.ts'
import type { Logger } from '../logger.ts'
import { park, sendToDeadLetters } from './deadLetter.ts'
import type { Invocation } from './invocation.ts'
import type { Claim } from './protocol.ts'
import { recordLogger } from './recordLogger.ts'
import type { Settlement } from './settlement.ts'
import { waitTurn } from './waitTurn.ts'
import type { Work } from './work.ts'

/** What becomes of a record that is not to be run. Never rejects. */
export async function settleUnclaimed(
  work: Work,
  claim: Exclude<Claim, { kind: 'claimed' }>,
  invocation: Invocation,
): Promise<Settlement> {
  const { message } = work
  const logger = recordLogger(invocation.consumer, message)
  switch (claim.kind) {
    case 'over':
      return drop(claim.as, claim.reason, logger)
    case 'replaced':
      logger.info('dropped: a newer copy is on the queue')
      return { kind: 'replaced' }
    case 'passedOn':
      logger.info('passed on', { as: claim.as })
      return { kind: 'passedOn' }
    case 'busy':
      return waitTurn(work, claim.until, invocation, logger)
    case 'held':
    case 'early':
      logger.info('deferred', { why: claim.kind, until: new Date(claim.until).toISOString() })
      return { kind: 'deferred', until: claim.until }
    case 'refuse':
      return park(work, claim.refusal, invocation, logger)
    case 'burying':
      return sendToDeadLetters(work, claim.hold, invocation, logger)
    case 'unreadable':
      logger.error(
        'left on the queue: its token or stage record was written by a newer version, or by hand',
      )
      return { kind: 'failed', error: new Error('what the store holds of it cannot be read') }
    case 'failed':
      logger.error('left on the queue: the store gave no answer', { error: claim.error.message })
      return { kind: 'failed', error: claim.error }
  }
}

function drop(as: Over, reason: string | undefined, logger: Logger): Settlement {
  switch (as) {
    case 'duplicate':
      logger.info('dropped: a duplicate of a finished request')
      return { kind: 'duplicate', of: 'completed' }
    case 'dead':
      logger.warn('dropped: a duplicate of a dead-lettered request', { reason })
      return { kind: 'duplicate', of: 'deadLettered' }
    default:
      logger.info('dropped: its flow has moved on, or another request has it', { because: as })
      return { kind: 'dropped', because: as }
  }
}
