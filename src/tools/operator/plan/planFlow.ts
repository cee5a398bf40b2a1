import { DEFAULT_RETENTION_MS, ttlAt } from '../../../library/base/limits/lifetime.ts'
import { resetFromOutside } from '../../../library/protocol/claim/stage/abandonRun.ts'
import { type DeadRun, deadRunKey } from '../../../library/protocol/claim/stage/deadRun.ts'
import { writeEntry } from '../../../library/protocol/claim/stage/stageEntry.ts'
import { STAGE, type StageRecord } from '../../../library/protocol/claim/stage/stageRecord.ts'
import { INDEX_ATTRIBUTES } from '../../../library/protocol/claim/statusIndex.ts'
import type { Item, Update } from '../../../library/protocol/store/store.ts'
import { displayId } from '../text/itemId.ts'
import { describeFlow, stageLines } from '../explain/describeFlow.ts'
import { flowState } from '../explain/flowState.ts'
import { stageStates } from '../explain/stageState.ts'
import { type ChangePlan, is, noChange, planned } from './applyPlan.ts'
import { runLeaseUntil } from '../item/task.ts'

/** As `flow.reset(key)`: ends the run that holds the key. Its messages that are still on their way become stale. */
export function planReset(record: StageRecord, now: number): ChangePlan {
  const standing = describeFlow(flowState(record, now), now)
  const about = { action: 'decide free', id: displayId(record.key.pk), standing } as const
  const { run } = record
  const ending = resetFromOutside(record, { retention: DEFAULT_RETENTION_MS, now })
  if (run === undefined || ending === undefined)
    return noChange('nothing', about, 'it is idle: its key is free')
  const { finish } = ending
  const live = runLeaseUntil(run)
  // Settling a stage raises no fence, so each stage is compared with what was shown.
  const stages = [...run.stages].map(([name, entry]) => is(STAGE + name, writeEntry(entry)))
  const where = [...finish.where, ...stages]
  return planned(
    about,
    [
      `the run of ${run.uniqueRequestId} ends, and its key is free for the next request`,
      'its messages still under way are dropped as stale, and can write nothing',
      'nothing runs it again: if it is still wanted, start it again under another id',
    ],
    { kind: 'end', ending: { ...ending, finish: { ...finish, where } } },
    live > now ? live : undefined,
  )
}

/** Stops listing a dead run that will not be redriven. It can still be redriven for 30 days. */
export function planForget(
  record: { pk: string },
  parked: DeadRun,
  item: Item,
  now: number,
): ChangePlan {
  const key = deadRunKey({ ...record, sk: 'stage' }, parked.uniqueRequestId)
  const about = {
    action: 'decide drop',
    id: displayId(record.pk),
    standing: [
      `${parked.uniqueRequestId} is dead`,
      ...stageLines(stageStates(parked.stages, now), now),
    ],
  } as const
  if (item['statusShard'] === undefined) return noChange('nothing', about, 'it is no longer listed')
  const update: Update = {
    key,
    where: [is('fence', parked.fence), is('epoch', parked.epoch), { exists: 'statusShard' }],
    set: { ttl: ttlAt(now + DEFAULT_RETENTION_MS) },
    remove: INDEX_ATTRIBUTES,
  }
  const changes = ['is no longer listed; its dead letter can still be redriven for 30 days']
  return planned(about, changes, { kind: 'updates', updates: [update] })
}
