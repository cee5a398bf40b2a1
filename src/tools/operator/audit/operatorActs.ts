import { PLAN_KEPT_MS } from '../../../base/limits/lifetime.ts'
import type { TableReader } from '../../../store/dynamodb/dynamoDbReader.ts'
import type { Item } from '../../../store/store.ts'
import { displayId, splitId } from '../../../sweeper/address.ts'
import type { AuditEntry } from '../../../sweeper/audit/auditRow.ts'
import { listAudit } from './listAudit.ts'
import type { PlanMembers } from './planMembers.ts'
import type { StoredRequest } from '../explain/readRequest.ts'
import { nonEmptyText, timeIn } from '../explain/factParts.ts'
import type { TimelineEvent } from '../explain/timelineEvent.ts'

interface Asked {
  readonly reader: Pick<TableReader, 'partition'>
  readonly members: PlanMembers
  readonly now: number
  /** What the operator typed, and the request. */
  readonly ids: readonly string[]
}

/**
 * What operators have done to a request by the audit, for as long as plans are kept: redrives and changes of many, too. What its item
 * shows is left out.
 */
export async function operatorActs(
  found: readonly StoredRequest[],
  { reader, members, now, ids }: Asked,
): Promise<readonly TimelineEvent[]> {
  const items = found.flatMap((each) => each.items)
  const runs = items.flatMap(({ uniquerequestid }) => nonEmptyText(uniquerequestid) ?? [])
  const asked = [...new Set([...ids, ...found.map(({ pk }) => displayId(pk)), ...runs])]
  const range = { since: now - PLAN_KEPT_MS, now }
  const acts: TimelineEvent[] = []
  for await (const entry of listAudit(reader, range, { ids: asked }, members)) {
    if (!items.some((item) => shows(item, entry))) acts.push(eventOf(entry, found[0]?.pk))
  }
  return acts.toReversed()
}

/** Between the row and the write that it is about, milliseconds. */
const APART = 60_000

function shows(
  { operatorDid, operatorBy, operatorAt }: Item,
  { action, by, at }: AuditEntry,
): boolean {
  const apart = Math.abs((timeIn(operatorAt) ?? 0) - Date.parse(at))
  return operatorDid === action && operatorBy === by && apart < APART
}

function eventOf(entry: AuditEntry, pk: string | undefined): TimelineEvent {
  const { at, action, id, by, plan, result, why } = entry
  return {
    at: Date.parse(at),
    from: 'audit',
    where: pk === undefined ? '' : splitId(pk).owner,
    request: pk?.startsWith('lock#') === true ? splitId(pk).rest : undefined,
    attempt: undefined,
    kind: 'operator',
    outcome: undefined,
    because: undefined,
    until: undefined,
    messageId: undefined,
    what: `${action} ${id}, plan ${plan}, by ${by}: ${result}`,
    why: nonEmptyText(why),
  }
}
