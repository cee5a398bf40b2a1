import type { WriteResult, EndReason } from '../claim/hold.ts'
import type { Logger } from '../logger.ts'
import type { Settlement } from '../claim/settlement.ts'

/** For a person who looks for a message that did nothing: the line is all that is left of it. */
const WHY: Readonly<Record<EndReason, string>> = {
  duplicate: 'a duplicate of a finished request',
  dead: 'a duplicate of a dead-lettered request',
  stale: 'its run is over, or a newer request of its key has started',
  superseded: 'a newer request has taken its key',
  reset: 'its request was reset',
  dropped: 'another request had the key (onConflict: drop)',
  coalesced: 'a newer request waits for the key (onConflict: coalesce)',
  late: 'nobody waits for this answer any more',
}

/** The request itself is over, so nobody waits for this message. @param by the other request that has its key */
export function dropped(over: EndReason, logger: Logger, by?: string): Settlement {
  logger.info(`dropped: ${WHY[over]}`, { because: over, ...(by === undefined ? {} : { by }) })
  return { kind: 'dropped', because: over }
}

/** A copy of a request that had ended before it came. @param reason of the death */
export function duplicateOf(
  end: 'duplicate' | 'dead',
  logger: Logger,
  reason: string | undefined,
): Settlement {
  if (end === 'duplicate') {
    logger.info(`dropped: ${WHY.duplicate}`)
    return { kind: 'duplicate', of: 'completed' }
  }
  logger.warn(`dropped: ${WHY.dead}`, { reason })
  return { kind: 'duplicate', of: 'deadLettered' }
}

/** A write that the record's end needs did not take place: the message stays, unless its request is over. */
export function unwritten(
  left: Exclude<WriteResult, { kind: 'written' }>,
  logger: Logger,
): Settlement {
  if (left.kind === 'lost' && left.over !== undefined) return dropped(left.over, logger, left.by)
  const error =
    left.kind === 'failed' ? left.error : new Error('another attempt has taken over the record')
  logger.warn('left on the queue', { error: error.message })
  return { kind: 'failed', error }
}
