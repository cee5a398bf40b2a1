import type { TableReader } from '../../../store/tableReader.ts'
import { type AuditEntry, auditPartition, readAuditEntry } from './auditRow.ts'

/** An entry must meet all given conditions. */
interface AuditFilter {
  readonly by?: string | undefined
  readonly id?: string | undefined
  /** `dlq` also selects `dlq redrive`. */
  readonly action?: string | undefined
}

const DAY = 86_400_000

/**
 * The newest first: one query for each day.
 * @param since epoch milliseconds
 */
export async function* listAudit(
  reader: Pick<TableReader, 'partition'>,
  { since, now }: { readonly since: number; readonly now: number },
  filter: AuditFilter = {},
): AsyncGenerator<AuditEntry> {
  for (const partition of daysBack(since, now)) {
    const entries = (await reader.partition(partition))
      .flatMap((item) => readAuditEntry(item) ?? [])
      .filter((entry) => Date.parse(entry.at) >= since && matches(entry, filter))
    yield* entries.toReversed()
  }
}

/** A minute ahead: the clock of another operator may be fast. */
function daysBack(since: number, now: number): readonly string[] {
  const days: string[] = []
  for (let time = now + 60_000; ; time -= DAY) {
    const day = auditPartition(time)
    if (day < auditPartition(since)) return days
    days.push(day)
  }
}

function matches(entry: AuditEntry, { by, id, action }: AuditFilter): boolean {
  if (by !== undefined && entry.by !== by) return false
  if (id !== undefined && entry.id !== id) return false
  return action === undefined || `${entry.action} `.startsWith(`${action} `)
}
