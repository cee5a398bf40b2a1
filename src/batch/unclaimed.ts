import type { Claim } from '../lock/claimMany.ts'
import { park, sendToDeadLetters } from './deadLetter.ts'
import type { Invocation } from './invocation.ts'
import { recordLogger } from './recordLogger.ts'
import type { Settlement } from './settlement.ts'
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
    case 'done':
      logger.info('dropped: a duplicate of a finished request')
      return { kind: 'duplicate', of: 'completed' }
    case 'dead':
      logger.warn('dropped: a duplicate of a dead-lettered request', { reason: claim.reason })
      return { kind: 'duplicate', of: 'deadLettered' }
    case 'replaced':
      logger.info('dropped: a newer copy is on the queue')
      return { kind: 'replaced' }
    case 'held':
    case 'early':
      logger.info('deferred', { why: claim.kind, until: new Date(claim.until).toISOString() })
      return { kind: 'deferred', until: claim.until }
    case 'conflict':
      return park(work, conflict(message.uniqueRequestId), invocation, logger)
    case 'refuse':
      return park(work, refusalOf(work), invocation, logger)
    case 'burying':
      return sendToDeadLetters(work, claim.token, invocation, logger)
    case 'unreadable':
      logger.error('left on the queue: its token was written by a newer version, or by hand')
      return { kind: 'failed', error: new Error('the lock token of the record cannot be read') }
    case 'failed':
      logger.error('left on the queue: the store gave no answer', { error: claim.error.message })
      return { kind: 'failed', error: claim.error }
  }
}

function conflict(uniqueRequestId: string): { reason: string; error: string } {
  return {
    reason: 'conflict',
    error: `another payload came with the uniquerequestid ${uniqueRequestId} before; this one was neither run nor dropped`,
  }
}

function refusalOf({ message }: Work): { reason: string; error: string } {
  if (message.kind === 'refused') return message.refusal
  return { reason: 'rejected', error: 'refused' }
}
