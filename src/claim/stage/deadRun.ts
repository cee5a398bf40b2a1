import { longestRetention } from '../../base/limits/sqs.ts'
import { continuableUntil } from '../../base/limits/lifetime.ts'
import type { Upsert } from '../itemStore.ts'
import type { Item, StoreKey, Update, Value } from '../../store/store.ts'
import { type StageEntry, writeEntry } from './stageEntry.ts'
import {
  type EndingKind,
  isCount,
  readContinuable,
  readEnding,
  readMarks,
  readStages,
  type StageRun,
  STAGE,
  type StageRecord,
} from './stageRecord.ts'
import { INDEX_ATTRIBUTES, indexed } from '../statusIndex.ts'

/** What is kept of a dead request until an operator redrives its dead letter. Each dead request has one such item. */
export interface DeadRun {
  readonly uniqueRequestId: string
  readonly epoch: number
  readonly fence: number
  readonly stages: ReadonlyMap<string, StageEntry>
  readonly marks: ReadonlySet<string>
  readonly payload: string | undefined
  /** Why it was ended before its time, and not by a dead letter. */
  readonly ending?: EndingKind | undefined
  /** What has become of the undo of its effects. undefined: they are not to be undone. */
  readonly undo?: UndoState | undefined
  /** How its effects can be undone. undefined: they cannot. */
  readonly undoPlan?: string | undefined
  /** How many redrives have begun to reopen it (see `reopening`), or `ended` once a run that one has reopened has ended. */
  readonly reopened?: number | typeof REOPENED_RUN_ENDED | undefined
  /** Until when it can be continued, epoch milliseconds. */
  readonly continuable?: number | undefined
}

export const REOPENED_RUN_ENDED = 'ended'

/**
 * `due`: the first message of the undo has to be sent. `sent`: it is on its queue. `undone`: all effects are undone.
 */
type UndoState = 'due' | 'sent' | 'undone'

const UNDO_STATES: readonly UndoState[] = ['due', 'sent', 'undone']

export function deadRunKey(record: StoreKey, uniqueRequestId: string): StoreKey {
  return { pk: record.pk, sk: `dead#${uniqueRequestId}` }
}

/** SQS keeps no dead letter of the run for longer, epoch milliseconds. NaN: not known. */
export function letterKeptUntil({ created }: Item): number {
  return (typeof created === 'string' ? Date.parse(created) : Number.NaN) + longestRetention * 1_000
}

export function readDeadRun(item: Item): DeadRun | undefined {
  const { uniquerequestid, epoch, fence } = item
  const [stages, marks] = [readStages(item), readMarks(item)]
  if (typeof uniquerequestid !== 'string' || !isCount(epoch) || !isCount(fence)) return undefined
  if (stages === undefined || marks === undefined) return undefined
  const payload = typeof item['payload'] === 'string' ? item['payload'] : undefined
  const ending = readEnding(item)
  const undo = UNDO_STATES.find((one) => one === item['undo'])
  if (ending === 'unreadable' || (item['undo'] !== undefined && undo === undefined))
    return undefined
  return {
    uniqueRequestId: uniquerequestid,
    epoch,
    fence,
    stages,
    marks,
    payload,
    ending: ending?.as,
    undo,
    undoPlan: typeof item['undoPlan'] === 'string' ? item['undoPlan'] : undefined,
    reopened: readReopened(item['reopened']),
    continuable: readContinuable(item),
  }
}

function readReopened(value: Value | undefined): DeadRun['reopened'] {
  return isCount(value) || value === REOPENED_RUN_ENDED ? value : undefined
}

/**
 * Written before the reset, and valid only if the record says that the request died: the reset requires the fence that is written
 * here. A late write has a smaller fence than the existing item, and is refused.
 */
export function saveDeadRun(
  record: StageRecord,
  run: StageRun,
  stages: ReadonlyMap<string, StageEntry>,
  death: {
    readonly now: number
    readonly retention: number
    readonly error?: string
    readonly stack?: string
  },
): Upsert {
  const key = deadRunKey(record.key, run.uniqueRequestId)
  const content = {
    uniquerequestid: run.uniqueRequestId,
    epoch: record.epoch,
    fence: record.fence,
    created: new Date(death.now).toISOString(),
    continuable: run.continuable ?? continuableUntil(run.giveUpAt, death.retention),
    restored: JSON.stringify([...run.marks]),
    ...stagesAsWritten(stages),
    ...(record.payload === undefined ? {} : { payload: record.payload }),
    ...(death.error === undefined ? {} : { error: death.error }),
    ...(death.stack === undefined ? {} : { stack: death.stack }),
    ...indexed(record.key.pk, 'dead', death.now),
  }
  const older = { field: 'fence', is: '<', value: record.fence } as const
  return {
    create: { ...key, ...content },
    // Its end may have been refused after the note that it has ended.
    update: {
      key,
      where: [
        // @protects a late write does not replace what a later attempt has kept
        older,
      ],
      set: content,
      remove: ['ttl', 'reopened'],
    },
  }
}

/**
 * Written before a redrive reopens a dead run whose effects can be undone: an operator may decide to undo them at the same time,
 * and this item decides. undefined: they cannot be undone, or its run has ended.
 */
export function reopening(
  key: StoreKey,
  { uniqueRequestId, ending, epoch, fence, reopened }: DeadRun,
): Update | undefined {
  if (ending !== 'dead' || reopened === REOPENED_RUN_ENDED) return undefined
  return {
    key: deadRunKey(key, uniqueRequestId),
    where: [
      { field: 'epoch', is: '=', value: epoch },
      { field: 'fence', is: '=', value: fence },
      // @protects a dead run is redriven or undone, never both
      { absent: 'undo' },
      // A slower redrive must not write over what a faster one has noted since, and no number may come twice.
      reopened === undefined
        ? { absent: 'reopened' }
        : { field: 'reopened', is: '=', value: reopened },
    ],
    set: { reopened: (reopened ?? 0) + 1 },
  }
}

/** A redriven run ends: nothing is undone, redriven or waited for because it was dead once. */
export function closeDeadRun(record: StageRecord, run: StageRun, ttl: number): Update {
  return {
    key: deadRunKey(record.key, run.uniqueRequestId),
    where: [{ field: 'fence', is: '<=', value: record.fence }],
    set: { ttl, ...(run.undoPlan !== undefined && { reopened: REOPENED_RUN_ENDED }) },
    remove: INDEX_ATTRIBUTES,
  }
}

export function stagesAsWritten(stages: ReadonlyMap<string, StageEntry>): Record<string, string> {
  return Object.fromEntries([...stages].map(([name, entry]) => [STAGE + name, writeEntry(entry)]))
}
