import type { TableReader } from '../../../store/dynamodb/dynamoDbReader.ts'
import { displayId } from '../../../sweeper/address.ts'
import { namedKeys } from '../item/namedKeys.ts'
import { type AuditEntry, auditPartition, readAuditEntry } from '../../../sweeper/audit/auditRow.ts'

/** An entry must meet all given conditions. */
interface AuditFilter {
  readonly by?: string | undefined
  /** As an operator types it, which a key may be stored under the hash of; of an edited dead letter its queue, or its own id. */
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
  const names = filter.id === undefined ? undefined : namesOf(filter.id)
  for (const partition of daysBack(since, now)) {
    const entries = (await reader.partition(partition))
      .flatMap((item) => readAuditEntry(item) ?? [])
      .filter((entry) => Date.parse(entry.at) >= since && matches(entry, filter, names))
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

function namesOf(id: string): ReadonlySet<string> {
  return new Set([id, ...namedKeys(id).map(({ pk }) => displayId(pk))])
}

function matches(
  entry: AuditEntry,
  { by, action }: AuditFilter,
  names: ReadonlySet<string> | undefined,
): boolean {
  if (by !== undefined && entry.by !== by) return false
  if (names !== undefined && ![entry.id, ...entry.id.split(' ')].some((each) => names.has(each))) {
    return false
  }
  return action === undefined || `${entry.action} `.startsWith(`${action} `)
}
