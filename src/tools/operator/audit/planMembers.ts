import type { Store } from '../../../store/store.ts'
import type { AuditEntry } from '../../../sweeper/audit/auditRow.ts'
import { loadContents, loadIds, loadOperation } from '../dlq/index.ts'
import { namedKeys } from '../item/namedKeys.ts'
import { readGroupPlan } from '../plan/changeGroup.ts'

/** Tells whose plans name a request: the audit has one row for a plan of many. */
export interface PlanMembers {
  /** @param ids `consumer/ID`, `flow/KEY`, `uniquerequestid` or an SQS message id */
  names(entry: AuditEntry, ids: readonly string[]): Promise<boolean>
  /** Plans that are too large to be looked through. */
  readonly unread: ReadonlySet<string>
}

/** Dead letters of a plan that is looked through: some 20 read units. */
const MOST = 5_000

/** A plan is kept for 15 days: the requests of an older one are not known any more. */
export function planMembers(store: Store): PlanMembers {
  const unread = new Set<string>()
  const plans = new Map<string, Promise<ReadonlySet<string>>>()
  return {
    unread,
    async names(entry, ids) {
      if (!isOfMany(entry)) return false
      const { plan } = entry
      const members = plans.get(plan) ?? readMembers(store, entry, unread)
      plans.set(plan, members)
      const known = await members
      return ids.flatMap(namesIn).some((name) => known.has(name))
    },
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
  { plan, action }: AuditEntry,
  unread: Set<string>,
): Promise<ReadonlySet<string>> {
  const operation = await loadOperation(store, plan)
  if (operation === undefined) return new Set()
  if (operation.planned > MOST) {
    unread.add(plan)
    return new Set()
  }
  if (!action.startsWith('dlq ')) {
    const group = await loadContents(store, plan, readGroupPlan)
    return new Set(group?.tokens.map(({ pk }) => pk))
  }
  const letters = (await loadIds(store, plan))?.letters() ?? []
  return new Set(
    [...letters].flatMap(({ messageId, uniqueRequestId, run }) =>
      [messageId, uniqueRequestId, run].filter((name) => name !== undefined),
    ),
  )
}
