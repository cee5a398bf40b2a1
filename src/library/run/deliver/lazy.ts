import type { Settlement } from '../../protocol/claim/settlement.ts'
import { messageOf, toError } from '../../base/errors.ts'
import { lazily } from '../../base/lazily.ts'
import type { LogFields, Logger } from '../../base/logger.ts'

export type Uncommon = typeof import('./uncommon.ts')

export const loadUncommon: () => Promise<Uncommon> = lazily(() => import('./uncommon.ts'))

/**
 * Loads `ctx` while the first claim is on its way. It is there before a handler starts, because its calls check and copy what
 * they are given at once: an import within a call would read an object that the handler has changed meanwhile.
 */
export const loadContext: () => Promise<typeof import('../context/openContext.ts')> = lazily(
  () => import('../context/openContext.ts'),
)

/**
 * Settles a record by code that has to be loaded. If loading fails, SQS delivers the record again after its visibility timeout,
 * as if the sandbox had ended.
 */
export async function settleBy(
  settle: (uncommon: Uncommon) => Promise<Settlement>,
  logger: Logger,
  fields: LogFields = {},
): Promise<Settlement> {
  const uncommon = await loadUncommon().catch(toError)
  return uncommon instanceof Error ? notLoaded(uncommon, logger, fields) : settle(uncommon)
}

export function notLoaded(error: Error, logger: Logger, fields: LogFields = {}): Settlement {
  logger.error('left on the queue: a file of this function cannot be loaded', {
    ...fields,
    error: messageOf(error),
  })
  return { kind: 'failed', error }
}
