import { RECORDED_MS, ttlAt } from '../../../base/limits/lifetime.ts'
import { outcomeOrThrow, type Store, type StoreKey } from '../../../protocol/store/store.ts'
import { isoTime } from '../../../base/time.ts'
import { sortableId } from '../../../base/sortableId.ts'

/** A change that an operator has made, or has begun. */
export interface AuditEntry {
  /** When it began, ISO 8601. */
  readonly at: string
  readonly by: string
  readonly why: string
  /** `decide free`, `dlq redrive`, …. */
  readonly action: string
  /** What was changed: `consumer/ID`, `flow/KEY`, a queue; of several names, separated by spaces, each finds it. */
  readonly id: string
  /** The fingerprint of the plan that was applied. */
  readonly plan: string
  /** The command as typed, without payloads. */
  readonly command: string
  /** `begun`: the end was not recorded, because the command was killed or the table did not answer. */
  readonly result: string
}

const BEGUN = 'begun'
/** A command with a thousand options is no use to a reader, and DynamoDB bills by the kilobyte. */
const LONGEST = 1_000

export type NewAuditEntry = Omit<AuditEntry, 'at' | 'result'>

/** A row for each day in UTC, so that a listing reads the days that it shows. */
export function auditPartition(time: number): string {
  return `audit#${isoTime(time).slice(0, 'YYYY-MM-DD'.length)}`
}

/**
 * Writes the row before the change: a change without its row is worse than a row without its change.
 * @returns writes the result into the row
 * @throws StoreUnavailableError: the row is not there, and the change must not be made
 */
export async function beginAudit(
  store: Store,
  entry: NewAuditEntry,
  now: number,
): Promise<(result: string) => Promise<void>> {
  const key: StoreKey = { pk: auditPartition(now), sk: sortableId(now) }
  const { command, why, ...rest } = entry
  outcomeOrThrow(
    await store.create([
      {
        ...key,
        ...rest,
        at: isoTime(now),
        command: command.slice(0, LONGEST),
        why: why.slice(0, LONGEST),
        result: BEGUN,
        ttl: ttlAt(now + RECORDED_MS),
      },
    ]),
  )
  return async (result) => {
    const where = [{ field: 'result', is: '=', value: BEGUN }] as const
    const update = { key, where, set: { result: result.slice(0, LONGEST) } }
    outcomeOrThrow(await store.update([update]))
  }
}
