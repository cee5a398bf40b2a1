import type { EndReason } from '../settlement.ts'
import type { StageRecord } from './stageRecord.ts'
import { requestIn } from './version.ts'

/** The other request that has or had the key of a message, if the record names one. For the log. */
export function blockingRequestIn(
  record: StageRecord | undefined,
  { uniqueRequestId }: { readonly uniqueRequestId: string },
  as?: EndReason,
): string | undefined {
  if (record === undefined || as === 'duplicate' || as === 'alreadyDeadLettered' || as === 'reset')
    return
  const { run, newest, waiting } = record
  const rivals = [
    as === 'coalesced' && waiting !== undefined ? requestIn(waiting) : undefined,
    run?.uniqueRequestId,
    newest === undefined ? undefined : requestIn(newest),
  ]
  return rivals.find((id) => id !== undefined && id !== uniqueRequestId)
}
