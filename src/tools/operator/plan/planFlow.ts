import { DEFAULT_RETENTION_MS } from '../../../library/base/limits/lifetime.ts'
import { resetFromOutside } from '../../../library/protocol/claim/stage/abandonRun.ts'
import { type DeadRun, diedAt } from '../../../library/protocol/claim/stage/deadRun.ts'
import { dropDeadRun } from '../../../library/protocol/claim/stage/dropRun.ts'
import { writeEntry } from '../../../library/protocol/claim/stage/stageEntry.ts'
import { STAGE, type StageRecord } from '../../../library/protocol/claim/stage/stageRecord.ts'
import type { Item, StoreKey } from '../../../library/protocol/store/store.ts'
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

/** A dead run will not be redriven: its failure handler learns of it, and may take back what it has made. */
export function planDropRun(
  record: { readonly key: StoreKey; readonly seen: StageRecord | undefined },
  deadRun: DeadRun,
  item: Item,
  now: number,
): ChangePlan {
  const { key, seen } = record
  const { uniqueRequestId, stages, failures } = deadRun
  const standing = [`${uniqueRequestId} is dead`, ...stageLines(stageStates(stages, now), now)]
  const about = { action: 'decide drop', id: displayId(key.pk), standing } as const
  if (item['statusShard'] === undefined) return noChange('nothing', about, 'it is no longer listed')
  const closing = { retention: DEFAULT_RETENTION_MS, now }
  const drop = dropDeadRun(key, seen, { ...deadRun, died: diedAt(item) }, closing)
  if (drop === undefined) {
    return noChange('impossible', about, 'it was redriven, and runs: decide FLOW/KEY free ends it')
  }
  const changes = [
    'is no longer listed, and never runs again: a redrive of its dead letter is dropped',
    failures === undefined
      ? 'nothing takes back what it has made: its flow had no failure handler when it died'
      : 'its failure handler gets its end, by the sweeper, and may take back what it has made',
  ]
  return planned(about, changes, { kind: 'end', ...drop })
}
