import { resetFromOutside } from '../../../claim/stage/abandonRun.ts'
import { type DeadRun, deadRunKey } from '../../../claim/stage/deadRun.ts'
import { writeEntry } from '../../../claim/stage/stageEntry.ts'
import { type StageRun, STAGE, type StageRecord } from '../../../claim/stage/stageRecord.ts'
import { INDEX_ATTRIBUTES } from '../../../claim/statusIndex.ts'
import type { Condition, Item } from '../../../store/store.ts'
import { displayId } from '../../address.ts'
import { describeStageRecord, describeEntry } from '../explain/describeFlow.ts'
import { noChange, type ChangePlan } from './plan.ts'
import { runLeaseUntil } from '../item/task.ts'

const THIRTY_DAYS = 30 * 86_400_000

/** As `flow.reset(key)`: ends the run that holds the key. Its messages that are still on their way become stale. */
export function planReset(record: StageRecord, now: number): ChangePlan {
  const about = {
    action: 'flow reset',
    id: displayId(record.key.pk),
    standing: describeStageRecord(record, now),
  } as const
  const { run } = record
  const ending = resetFromOutside(record, { retention: THIRTY_DAYS, now })
  if (run === undefined || ending === undefined)
    return noChange('nothing', about, 'it is idle: its key is free')
  const { reset } = ending
  const live = runLeaseUntil(run)
  return {
    kind: 'change',
    ...about,
    changes: [
      `the run of ${run.uniqueRequestId} ends, and its key is free for the next request`,
      'its messages still under way are dropped as stale, and can write nothing',
    ],
    liveLease: live > now ? live : undefined,
    effect: {
      kind: 'end',
      ending: { ...ending, reset: { ...reset, where: [...reset.where, ...stagesUnchanged(run)] } },
    },
  }
}

/** Settling a stage raises no fence, so each stage is compared with what was shown. */
function stagesUnchanged({ stages }: StageRun): readonly Condition[] {
  return [...stages].map(([name, entry]) => ({
    field: STAGE + name,
    is: '=',
    value: writeEntry(entry),
  }))
}

/** Stops listing a dead run that will not be redriven. It can still be redriven for 30 days. */
export function planForget(
  record: { pk: string },
  parked: DeadRun,
  item: Item,
  now: number,
): ChangePlan {
  const key = deadRunKey({ ...record, sk: 'stage' }, parked.uniqueRequestId)
  const stages = [...parked.stages].map(
    ([name, entry]) => `stage ${name}: ${describeEntry(entry, now)}`,
  )
  const about = {
    action: 'flow forget',
    id: displayId(record.pk),
    standing: [`${parked.uniqueRequestId} is dead`, ...stages],
  } as const
  if (item['statusShard'] === undefined) return noChange('nothing', about, 'it is no longer listed')
  return {
    kind: 'change',
    ...about,
    changes: ['is no longer listed; its dead letter can still be redriven for 30 days'],
    liveLease: undefined,
    effect: {
      kind: 'update',
      update: {
        key,
        where: [
          { field: 'fence', is: '=', value: parked.fence },
          { field: 'epoch', is: '=', value: parked.epoch },
          { exists: 'statusShard' },
        ],
        set: { ttl: Math.ceil((now + THIRTY_DAYS) / 1_000) },
        remove: INDEX_ATTRIBUTES,
      },
    },
  }
}
