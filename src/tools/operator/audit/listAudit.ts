import type { TableReader } from '../../../store/dynamodb/dynamoDbReader.ts'
import { displayId } from '../../../sweeper/address.ts'
import { namedKeys } from '../item/namedKeys.ts'
import type { PlanMembers } from './planMembers.ts'
import { type AuditEntry, auditPartition, readAuditEntry } from '../../../sweeper/audit/auditRow.ts'

/** An entry must meet all given conditions. */
interface AuditFilter {
  readonly by?: string | undefined
  /** One of these, as an operator types it, which a key may be stored under the hash of; of an edited dead letter its queue, or its own id. */
  readonly ids?: readonly string[] | undefined
  /** `dlq` also selects `dlq redrive`. */
  readonly action?: string | undefined
}

const DAY = 86_400_000

/**
 * The newest first: one query for each day.
 * @param since epoch milliseconds
 * @param members finds the ids in plans of many, too
 */
export async function* listAudit(
  reader: Pick<TableReader, 'partition'>,
  { since, now }: { readonly since: number; readonly now: number },
  { ids, ...filter }: AuditFilter = {},
  members?: PlanMembers,
): AsyncGenerator<AuditEntry> {
  const names = ids && new Set(ids.flatMap(namesOf))
  for (const partition of daysBack(since, now)) {
    const entries = (await reader.partition(partition)).flatMap(
      (item) => readAuditEntry(item) ?? [],
    )
    for (const entry of entries.toReversed()) {
      if (Date.parse(entry.at) < since || !matches(entry, filter)) continue
      const isNamed = names === undefined || isOneOf(names, entry)
      if (isNamed || (await members?.names(entry, ids ?? [])) === true) yield entry
    }
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

function namesOf(id: string): readonly string[] {
  return [id, ...namedKeys(id).map(({ pk }) => displayId(pk))]
}

function isOneOf(names: ReadonlySet<string>, { id }: AuditEntry): boolean {
  return [id, ...id.split(' ')].some((each) => names.has(each))
}

function matches(entry: AuditEntry, { by, action }: Omit<AuditFilter, 'ids'>): boolean {
  if (by !== undefined && entry.by !== by) return false
  return action === undefined || `${entry.action} `.startsWith(`${action} `)
}
