import type { Clock } from '../../../base/clock.ts'
import { messageOf } from '../../../base/errors.ts'
import type { Store } from '../../../protocol/store/store.ts'
import { beginAudit, type NewAuditEntry } from './auditRow.ts'

/**
 * Makes a change between two writes of its audit row. If the result cannot be written, the row stays `begun`, and the change
 * counts.
 * @throws what the change throws; the row then says that it failed
 */
export async function auditedOn<T extends string>(
  { store, clock }: { readonly store: Store; readonly clock: Pick<Clock, 'now'> },
  entry: NewAuditEntry,
  change: () => Promise<T>,
): Promise<T> {
  // @protects no change is made that the audit does not show
  // @without async () => {} @tests test/tools/cli
  const end = await beginAudit(store, entry, clock.now())
  const result = await change().catch(async (error: unknown) => {
    await end(`failed: ${messageOf(error)}`).catch(() => {})
    throw error
  })
  await end(result).catch(() => {})
  return result
}
