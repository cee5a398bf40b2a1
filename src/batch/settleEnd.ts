import type { Hold } from '../claim/hold.ts'
import type { Logger } from '../logger.ts'
import { dropped } from './dropped.ts'
import type { Invocation } from './invocation.ts'
import type { Settlement } from '../claim/settlement.ts'

/** The work is done, and logged as done: only now its end is stored. Never rejects. */
export async function settleEnd(
  hold: Hold,
  settlement: Settlement,
  { consumer }: Invocation,
  logger: Logger,
): Promise<Settlement> {
  const left = await hold.settle(settlement.kind === 'stale' ? 'stale' : 'done')
  switch (left.kind) {
    case 'written':
      return settlement
    case 'failed':
      logger.error('ended, but its end could not be stored: the record comes back', {
        error: left.error.message,
      })
      return left
    case 'lost':
      if (left.over !== undefined) return dropped(left.over, logger, left.by)
      logger.warn('ended, but another attempt had taken over: the record comes back')
      return { kind: 'deferred', until: consumer.clock.now() }
  }
}
