import type { Clock } from '../../base/clock.ts'
import type { LogFields, Logger } from '../../base/logger.ts'
import type { WriteResult } from '../../protocol/claim/hold.ts'
import type { EndReason, Settlement } from '../../protocol/claim/settlement.ts'
import type { Attempt } from './delivery.ts'

/** Stores the end of an attempt. Neither its message nor its claim is kept meanwhile. */
export function settleAttempt(
  { hold, invocation, logger }: Attempt,
  end: 'completed' | 'stale',
  sent?: string,
): Promise<Settlement> {
  const settled = settlementOf(end, hold.settle(end, sent), logger, invocation.consumer.clock)
  const { afterDeath } = hold
  return afterDeath === undefined ? settled : settled.then((each) => afterTelling(each, afterDeath))
}

/** `onFailure` has returned, or had nothing to do any more: now the death of its request is settled. */
function afterTelling(settlement: Settlement, { reason }: { readonly reason: string }): Settlement {
  const isTold = settlement.kind === 'completed' || settlement.kind === 'stale'
  return isTold ? { kind: 'deadLettered', reason } : settlement
}

async function settlementOf(
  end: 'completed' | 'stale',
  written: Promise<WriteResult>,
  logger: Logger,
  clock: Clock,
): Promise<Settlement> {
  const result = await written
  switch (result.kind) {
    case 'written':
      if (end === 'completed') logger.info('succeeded')
      return { kind: end }
    case 'failed':
      logger.error('ended, but its end could not be stored: the record comes back', {
        error: result.error.message,
      })
      return result
    case 'lost':
      if (result.over !== undefined) return dropLost(result, result.over, logger)
      if (result.gone === true) logger.error(`ended, but ${RECORD_GONE}: the message comes back`)
      else logger.warn('ended, but another attempt had taken over: the record comes back')
      return { kind: 'deferred', until: clock.now() }
  }
}

const RECORD_GONE = 'its record is gone, deleted by hand or by a restore'

/**
 * A write that the record's end needs was refused. The message is dropped only when its request has ended: another attempt that
 * has taken the claim may die, and then this message is the only one left.
 * @param error logged instead of the refusal
 */
export function settleUnwritten(
  result: Exclude<WriteResult, { kind: 'written' }>,
  logger: Logger,
  error: Error = result.kind === 'failed'
    ? result.error
    : new Error(result.gone === true ? RECORD_GONE : 'another attempt has taken over the record'),
): Settlement {
  if (
    result.kind === 'lost' &&
    // @protects a message is dropped only when its request has ended
    result.over !== undefined
  ) {
    return dropLost(result, result.over, logger)
  }
  logger.warn('left on the queue', { error: error.message })
  return { kind: 'failed', error }
}

/** `by`: the other request that has the key. */
function dropLost(
  { by, otherPayload }: Extract<WriteResult, { kind: 'lost' }>,
  over: EndReason,
  logger: Logger,
): Settlement {
  const end = otherPayload === true ? dropOther : drop
  return end(over, logger, by === undefined ? {} : { by })
}

/** The log line for each reason. An operator who looks for a message that had no effect finds only this line. */
const DROPPED: Readonly<Record<EndReason | 'replaced', string>> = {
  replaced: 'a newer copy is on the queue',
  duplicate: 'a duplicate of a finished request',
  alreadyDeadLettered: 'a duplicate of a dead-lettered request',
  stale: 'its run is over, or a newer request of its key has started',
  superseded: 'a newer request has taken its key',
  reset: 'its request was reset',
  dropped: 'another request had the key (onConflict: drop)',
  coalesced: 'a newer request waits for the key (onConflict: coalesce)',
  late: 'its run no longer waits for this answer',
}

/** The settlement of a message for which nothing is left to do: `isAcknowledged` holds of it. */
export function drop(reason: EndReason, logger: Logger, fields: LogFields = {}): Settlement {
  const level = reason === 'alreadyDeadLettered' ? 'warn' : 'info'
  logger[level](`dropped: ${DROPPED[reason]}`, { because: reason, ...fields })
  return { kind: reason }
}

/** Acknowledges a message whose id another payload has, too: most often the id leaves out a field in which two events differ. */
export function dropOther<Kind extends EndReason | 'replaced'>(
  reason: Kind,
  logger: Logger,
  fields: LogFields = {},
): { readonly kind: Kind; readonly otherPayload: true } {
  logger.warn(
    `dropped: ${DROPPED[reason]}, but with another payload: id(payload) gave both the same id, and this one will not run. ` +
      'If they are two requests, add to id what tells them apart; if not, name the fields that must agree in mustAgree',
    { because: reason, ...fields },
  )
  return { kind: reason, otherPayload: true }
}
