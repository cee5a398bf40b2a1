import type { Logger } from '../logger.ts'
import { complete, landed } from '../lock/settleWrites.ts'
import type { Token } from '../lock/token.ts'
import type { Invocation } from './invocation.ts'
import type { Settlement } from './settlement.ts'

/** The work is done, and logged as done: only now its end is stored. Never rejects. */
export async function settleEnd(
  token: Token,
  settlement: Settlement,
  invocation: Invocation,
  logger: Logger,
): Promise<Settlement> {
  const { clock, retention } = invocation.consumer
  const end = complete(token, clock.now(), retention)
  const outcome = await invocation.commit(end)
  if (landed(outcome, end, token)) return settlement
  if (outcome.kind === 'failed') {
    logger.error('ended, but its end could not be stored: the record comes back', {
      error: outcome.error.message,
    })
    return { kind: 'failed', error: outcome.error }
  }
  logger.warn('ended, but another attempt had taken over: the record comes back')
  return { kind: 'deferred', until: clock.now() }
}
