import { moveInIndex } from '../../claim/stage/listStalled.ts'
import { listLost } from '../../claim/token/listLost.ts'
import type { Condition, Item, Update } from '../../store/store.ts'
import { type LostRule, lostToken, overdueRun, stalledRun } from './lost.ts'

/** What DynamoDB leaves out is not sent: most items have ended. */
export function mayBeLost(now: number): Condition {
  return {
    any: [
      {
        all: [
          { field: 'sk', is: '=', value: 'token' },
          { field: 'status', is: '=', value: 'inProgress' },
          { field: 'leaseUntil', is: '<=', value: now },
          { absent: 'dueAt' },
        ],
      },
      {
        all: [
          { field: 'sk', is: '=', value: 'stage' },
          { exists: 'uniquerequestid' },
          { any: [{ absent: 'statusShard' }, { field: 'dueAt', is: '>', value: now }] },
        ],
      },
    ],
  }
}

/** The write that lists it. undefined: it is not lost, or is listed at its time. */
export function listing(item: Item, now: number, rule: LostRule): Update | undefined {
  const token = lostToken(item, now, rule)
  if (token !== undefined) return listLost(token)
  const overdue = overdueRun(item, now)
  if (overdue !== undefined) {
    const { record, run } = overdue
    return moveInIndex(record, run, [], { from: undefined, to: run.giveUpAt })
  }
  const stalled = stalledRun(item, now, rule)
  if (stalled === undefined) return undefined
  const { record, run, stages, since } = stalled
  const { dueAt } = item
  const from = typeof dueAt === 'number' ? dueAt : undefined
  return moveInIndex(record, run, stages, { from, to: since })
}
