import { knownItem } from '../aws/knownItem.ts'
import type { TableReader } from '../aws/tableReader.ts'
import { displayId, splitId } from '../text/itemId.ts'
import { namedKeys } from '../item/namedKeys.ts'
import { type AuditEntry, auditPartition } from '../../../library/entries/sweeper/audit/auditRow.ts'
import { PLAN_KEPT_MS } from '../../../library/base/limits/lifetime.ts'
import type { Item, Store } from '../../../library/protocol/store/store.ts'
import type { StoredRequest } from '../explain/readRequest.ts'
import { nonEmptyText, timeIn } from '../text/humanTime.ts'
import { NO_DETAILS, type TimelineEvent } from '../explain/timelineEvent.ts'
import type { PlannedLetter } from '../dlq/bound.ts'
import { loadPlan } from '../dlq/operationPlan.ts'
import type { PlannedToken } from '../plan/changeGroup.ts'

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
 * @param isMember finds the ids in plans of many, too
 */
export async function* listAudit(
  reader: Pick<TableReader, 'partition'>,
  { since, now }: { readonly since: number; readonly now: number },
  { ids, ...filter }: AuditFilter = {},
  isMember?: IsMember,
): AsyncGenerator<AuditEntry> {
  const names = ids && new Set(ids.flatMap(auditNamesOf))
  for (const partition of daysBack(since, now)) {
    const rows = (await reader.partition(partition)).map(knownItem)
    const entries = rows.flatMap((item) => readAuditEntry(item) ?? [])
    for (const entry of entries.toReversed()) {
      if (Date.parse(entry.at) < since || !matches(entry, filter)) continue
      const isNamed = names === undefined || isOneOf(names, entry)
      if (isNamed || (await isMember?.(entry, ids ?? [])) === true) yield entry
    }
  }
}

/** A minute ahead: the clock of another operator may be fast. */
export function daysBack(since: number, now: number): readonly string[] {
  const days: string[] = []
  for (let time = now + 60_000; ; time -= DAY) {
    const day = auditPartition(time)
    if (day < auditPartition(since)) return days
    days.push(day)
  }
}

export function auditNamesOf(id: string): readonly string[] {
  return [id, ...namedKeys(id).map(({ pk }) => displayId(pk))]
}

export function isOneOf(names: ReadonlySet<string>, { id }: AuditEntry): boolean {
  return [id, ...id.split(' ')].some((each) => names.has(each))
}

function matches(entry: AuditEntry, { by, action }: Omit<AuditFilter, 'ids'>): boolean {
  if (by !== undefined && entry.by !== by) return false
  return action === undefined || `${entry.action} `.startsWith(`${action} `)
}

interface Asked {
  readonly reader: Pick<TableReader, 'partition'>
  readonly store: Store
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
  { reader, store, now, ids }: Asked,
): Promise<readonly TimelineEvent[]> {
  const items = found.flatMap((each) => each.items)
  const runs = items.flatMap(({ uniquerequestid }) => nonEmptyText(uniquerequestid) ?? [])
  const asked = [...new Set([...ids, ...found.map(({ pk }) => displayId(pk)), ...runs])]
  const range = { since: now - PLAN_KEPT_MS, now }
  const acts: TimelineEvent[] = []
  for await (const entry of listAudit(reader, range, { ids: asked }, planMembers(store))) {
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
    ...NO_DETAILS,
    at: Date.parse(at),
    from: 'audit',
    where: pk === undefined ? '' : splitId(pk).owner,
    request: pk?.startsWith('lock#') === true ? splitId(pk).rest : undefined,
    kind: 'operator',
    what: `${action} ${id}, plan ${plan}, by ${by}: ${result}`,
    why: nonEmptyText(why),
  }
}

/**
 * Tells whose plan names a request: the audit has one row for a plan of many.
 * @param ids `consumer/ID`, `flow/KEY`, `uniquerequestid` or an SQS message id
 */
type IsMember = (entry: AuditEntry, ids: readonly string[]) => Promise<boolean>

/** A plan is kept for 15 days: the requests of an older one are not known any more. */
export function planMembers(store: Store): IsMember {
  const plans = new Map<string, Promise<ReadonlySet<string>>>()
  return async (entry, ids) => {
    if (!isOfMany(entry)) return false
    const { plan } = entry
    const members = plans.get(plan) ?? readMembers(store, entry)
    plans.set(plan, members)
    const known = await members
    return ids.flatMap(namesIn).some((name) => known.has(name))
  }
}

/** Whether the row is of a change of many items, which names only their queue or group. */
export function isOfMany({ action, id }: AuditEntry): boolean {
  return action.startsWith('dlq ') || id.startsWith('group ')
}

function namesIn(id: string): readonly string[] {
  return [id, id.slice(id.indexOf('/') + 1), ...namedKeys(id).map(({ pk }) => pk)]
}

async function readMembers(
  store: Store,
  { plan, action, id }: AuditEntry,
): Promise<ReadonlySet<string>> {
  // The id of an edit names one dead letter: its queue, and its id.
  if (action === 'dlq edit') return new Set([id.slice(id.indexOf(' ') + 1)])
  const planned = (await loadPlan<PlannedToken | PlannedLetter>(store, plan)) ?? []
  return new Set(planned.flatMap(namesOfPlanned))
}

function namesOfPlanned(planned: PlannedToken | PlannedLetter): readonly string[] {
  if ('pk' in planned) return [planned.pk]
  const { messageId, uniqueRequestId, run } = planned
  return [messageId, uniqueRequestId, run].filter((name) => name !== undefined)
}

/** @returns undefined for a row that is no audit row */
export function readAuditEntry(item: Item): AuditEntry | undefined {
  const texts = FIELDS.map((name) => item[name])
  if (!texts.every((each) => typeof each === 'string')) return undefined
  const [at = '', by = '', why = '', action = '', id = '', plan = '', command = '', result = ''] =
    texts
  return { at, by, why, action, id, plan, command, result }
}

const FIELDS = ['at', 'by', 'why', 'action', 'id', 'plan', 'command', 'result'] as const
