import { resetFromOutside } from '../../claim/stage/abandonRun.ts'
import { type Parked, parkedKey } from '../../claim/stage/deadRun.ts'
import { writeEntry } from '../../claim/stage/stageEntry.ts'
import { type Run, STAGE, type StageRecord } from '../../claim/stage/stageRecord.ts'
import { INDEX } from '../../claim/stage/statusIndex.ts'
import type { Condition, Item } from '../../store/store.ts'
import { idOf } from './address.ts'
import { describeRecord, entryLine } from './describeFlow.ts'
import { idle, type Plan } from './plan.ts'
import { liveUntil } from './task.ts'

const THIRTY_DAYS = 30 * 86_400_000

/**
 * As `flow.reset(key)`: ends the run that has the key; whatever of it is still on its way finds itself stale.
 */
export function planReset(record: StageRecord, now: number): Plan {
  const about = {
    action: 'flow reset',
    id: idOf(record.key.pk),
    standing: describeRecord(record, now),
  } as const
  const { run } = record
  const ending = resetFromOutside(record, { retention: THIRTY_DAYS, now })
  if (run === undefined || ending === undefined)
    return idle('nothing', about, 'it is idle: its key is free')
  const { reset } = ending
  const live = liveUntil(run)
  return {
    kind: 'change',
    ...about,
    changes: [
      `the run of ${run.uniqueRequestId} ends, and its key is free for the next request`,
      'what it still has on its way is dropped as stale, and can write nothing',
    ],
    liveLease: live > now ? live : undefined,
    effect: {
      kind: 'end',
      ending: { ...ending, reset: { ...reset, where: [...reset.where, ...asShown(run)] } },
    },
  }
}

/** Who settles a stage meanwhile raises no fence by that. */
function asShown({ stages }: Run): readonly Condition[] {
  return [...stages].map(([name, entry]) => ({
    field: STAGE + name,
    is: '=',
    value: writeEntry(entry),
  }))
}

/** A dead run that nobody will bring back: it is not listed any more, and can be redriven for 30 days. */
export function planForget(record: { pk: string }, parked: Parked, item: Item, now: number): Plan {
  const key = parkedKey({ ...record, sk: 'stage' }, parked.uniqueRequestId)
  const stages = [...parked.stages].map(
    ([name, entry]) => `stage ${name}: ${entryLine(entry, now)}`,
  )
  const about = {
    action: 'flow forget',
    id: idOf(record.pk),
    standing: [`${parked.uniqueRequestId} is dead`, ...stages],
  } as const
  if (item['statusShard'] === undefined) return idle('nothing', about, 'it is not listed any more')
  return {
    kind: 'change',
    ...about,
    changes: ['is not listed any more; its dead letter can still be sent back, for 30 days'],
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
        remove: INDEX,
      },
    },
  }
}
