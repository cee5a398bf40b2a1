import { DEFAULT_RETENTION_MS, ttlAt } from '../../../base/limits/lifetime.ts'
import { hasToUndo } from '../../../claim/stage/decideConflict.ts'
import { decideEnding } from '../../../features/undo/decideEnding.ts'
import { resetFromOutside } from '../../../claim/stage/abandonRun.ts'
import { type DeadRun, deadRunKey } from '../../../claim/stage/deadRun.ts'
import { writeEntry } from '../../../claim/stage/stageEntry.ts'
import { type StageRun, STAGE, type StageRecord } from '../../../claim/stage/stageRecord.ts'
import { INDEX_ATTRIBUTES } from '../../../claim/statusIndex.ts'
import type { Condition, Item, Update } from '../../../store/store.ts'
import { displayId } from '../../../sweeper/address.ts'
import { describeFlow } from '../explain/describeFlow.ts'
import { flowState } from '../explain/flowState.ts'
import { headOfDead } from './planUndo.ts'
import { type ChangePlan, is, noChange, type OperatorAction, planned } from './applyPlan.ts'
import { runLeaseUntil } from '../item/task.ts'

/** As `flow.reset(key)`: ends the run that holds the key. Its messages that are still on their way become stale. */
export function planReset(record: StageRecord, now: number): ChangePlan {
  const about = headOf('decide free', record, now)
  const { run } = record
  if (run?.ending !== undefined) return noChange('nothing', about, 'it is being ended already')
  const ending = resetFromOutside(record, { retention: DEFAULT_RETENTION_MS, now })
  if (run === undefined || ending === undefined)
    return noChange('nothing', about, 'it is idle: its key is free')
  const { reset } = ending
  const live = runLeaseUntil(run)
  const where = [...reset.where, ...stagesUnchanged(run)]
  return planned(
    about,
    [
      `the run of ${run.uniqueRequestId} ends, and its key is free for the next request`,
      'its messages still under way are dropped as stale, and can write nothing',
      'nothing runs it again: if it is still wanted, start it again under another id',
    ],
    { kind: 'end', ending: { ...ending, reset: { ...reset, where } } },
    live > now ? live : undefined,
  )
}

function headOf(action: OperatorAction, record: StageRecord, now: number) {
  const standing = describeFlow(flowState(record, now), now)
  return { action, id: displayId(record.key.pk), standing }
}

/** As `flow.reset(key, { undo: true })`: ends the run, and has its effects undone. */
export function planUndo(record: StageRecord, now: number): ChangePlan {
  const about = headOf('decide undo', record, now)
  const { run } = record
  if (run === undefined)
    return noChange(
      'nothing',
      about,
      'it is idle: its key is free. A dead request of it: --request UNIQUEREQUESTID',
    )
  if (!hasToUndo(run)) {
    return noChange(
      'impossible',
      about,
      run.undoPlan === undefined
        ? 'its flow had no option undo when it started: lineclear decide FLOW/KEY free ends it'
        : 'it has made no effects: lineclear decide FLOW/KEY free ends it',
    )
  }
  const decision = decideEnding(record, 'reset', { retention: DEFAULT_RETENTION_MS, now })
  if (decision.kind !== 'fence') return noChange('nothing', about, 'it is being ended already')
  const live = runLeaseUntil(run)
  return planned(
    about,
    [
      `the run of ${run.uniqueRequestId} ends, and its key is free for the next request`,
      'its effects are undone, the last stage first; it cannot be redriven',
    ],
    { kind: 'undo', fence: decision.update, retention: DEFAULT_RETENTION_MS },
    live > now ? live : undefined,
  )
}

/** Settling a stage raises no fence, so each stage is compared with what was shown. */
function stagesUnchanged({ stages }: StageRun): readonly Condition[] {
  return [...stages].map(([name, entry]) => is(STAGE + name, writeEntry(entry)))
}

/** Stops listing a dead run that will not be redriven. It can still be redriven for 30 days. */
export function planForget(
  record: { pk: string },
  parked: DeadRun,
  item: Item,
  now: number,
): ChangePlan {
  const key = deadRunKey({ ...record, sk: 'stage' }, parked.uniqueRequestId)
  const about = headOfDead('decide drop', record.pk, parked, now)
  if (item['statusShard'] === undefined) return noChange('nothing', about, 'it is no longer listed')
  if (parked.undo !== undefined) {
    return noChange(
      'impossible',
      about,
      'its effects are being undone, and until then it has to be listed',
    )
  }
  const update: Update = {
    key,
    where: [
      is('fence', parked.fence),
      is('epoch', parked.epoch),
      { exists: 'statusShard' },
      // Its undo has to stay listed until it has ended.
      { absent: 'undo' },
    ],
    set: { ttl: ttlAt(now + DEFAULT_RETENTION_MS) },
    remove: INDEX_ATTRIBUTES,
  }
  const changes = ['is no longer listed; its dead letter can still be redriven for 30 days']
  return planned(about, changes, { kind: 'update', update })
}
