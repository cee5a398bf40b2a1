import { longestRetention } from '../../../base/limits/sqs.ts'
import { continuableUntil } from '../../../base/limits/lifetime.ts'
import type { Upsert } from '../itemStore.ts'
import type { Item, StoreKey, Update } from '../../store/store.ts'
import { type StageEntry, writeEntry } from './stageEntry.ts'
import {
  isCount,
  payloadsAsWritten,
  readPayloads,
  readContinuable,
  readMarks,
  readStages,
  type StageRun,
  STAGE,
  type StageRecord,
} from './stageRecord.ts'
import { INDEX_ATTRIBUTES, indexed } from '../statusIndex.ts'

/** What is kept of a dead request until an operator redrives its dead letter. Each dead request has one such item. */
export type DeadRun = Pick<
  StageRun,
  'uniqueRequestId' | 'stages' | 'payloads' | 'marks' | 'continuable'
> &
  Pick<StageRecord, 'epoch' | 'fence' | 'payload' | 'failures'> & {
    /** An operator has decided that it will not be redriven. `begun`: whether that holds is not known yet. */
    readonly dropped: 'no' | 'begun' | 'done'
  }

export function deadRunKey(record: StoreKey, uniqueRequestId: string): StoreKey {
  return { pk: record.pk, sk: `dead#${uniqueRequestId}` }
}

/** When the run died, epoch milliseconds. NaN: not known. */
export function diedAt({ created }: Item): number {
  return typeof created === 'string' ? Date.parse(created) : Number.NaN
}

/** SQS keeps no dead letter of the run for longer, epoch milliseconds. NaN: not known. */
export function letterKeptUntil(item: Item): number {
  return diedAt(item) + longestRetention * 1_000
}

export function readDeadRun(item: Item): DeadRun | undefined {
  const { uniquerequestid, epoch, fence } = item
  const [stages, marks] = [readStages(item), readMarks(item)]
  if (typeof uniquerequestid !== 'string' || !isCount(epoch) || !isCount(fence)) return undefined
  if (stages === undefined || marks === undefined) return undefined
  const { payload, failures } = item
  return {
    uniqueRequestId: uniquerequestid,
    epoch,
    fence,
    stages,
    payloads: readPayloads(item),
    marks,
    payload: typeof payload === 'string' ? payload : undefined,
    failures: typeof failures === 'string' ? failures : undefined,
    dropped: item['dropped'] === 'begun' || item['dropped'] === 'done' ? item['dropped'] : 'no',
    continuable: readContinuable(item),
  }
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
    ...payloadsAsWritten(record.epoch, run.payloads),
    ...(record.payload === undefined ? {} : { payload: record.payload }),
    ...(record.failures === undefined ? {} : { failures: record.failures }),
    ...(death.error === undefined ? {} : { error: death.error }),
    ...(death.stack === undefined ? {} : { stack: death.stack }),
    ...indexed(record.key.pk, 'dead', death.now),
  }
  const older = { field: 'fence', is: '<', value: record.fence } as const
  return {
    create: { ...key, ...content },
    // The item may exist: the run's end can be refused after `closeDeadRun` was written.
    update: {
      key,
      where: [
        // @protects a late write does not replace what a later attempt has kept
        older,
      ],
      set: content,
      // @protects a request that was redriven while it was dropped, and dies again, can be redriven
      // @without ['ttl'] @tests test/claim/stage/dropRun
      remove: ['ttl', 'dropped'],
    },
  }
}

/** Closes the item of a redriven run that ends, so that commands and the sweeper no longer redrive it or wait for it. */
export function closeDeadRun(record: StageRecord, run: StageRun, ttl: number): Update {
  return {
    key: deadRunKey(record.key, run.uniqueRequestId),
    where: [{ field: 'fence', is: '<=', value: record.fence }],
    set: { ttl },
    remove: INDEX_ATTRIBUTES,
  }
}

export function stagesAsWritten(stages: ReadonlyMap<string, StageEntry>): Record<string, string> {
  return Object.fromEntries([...stages].map(([name, entry]) => [STAGE + name, writeEntry(entry)]))
}
