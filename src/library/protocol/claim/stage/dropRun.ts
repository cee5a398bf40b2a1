import { DAY_MS, ttlAt } from '../../../base/limits/lifetime.ts'
import type { Condition, StoreKey, Update } from '../../store/store.ts'
import type { Upsert } from '../itemStore.ts'
import { INDEX_ATTRIBUTES } from '../statusIndex.ts'
import { MAX_LAMBDA_MS } from '../lease.ts'
import { type DeadRun, deadRunKey } from './deadRun.ts'
import { reportDrop } from './endReport.ts'
import type { EndOptions, RunEnding } from './endRun.ts'
import { sameFence, sameRun, type StageRecord, type StageRun } from './stageRecord.ts'

/** The end of a dead run that will not be redriven, as writes in this order. Each one that is refused ends it. */
export interface RunDrop {
  readonly mark: Update
  readonly ending: RunEnding
  /** It is listed until this write, so that a drop that was killed before it is done again. */
  readonly afterwards: Update
}

/**
 * A dead letter may be redriven at the same moment. So first the dead run says that its drop has begun, and a redrive that looks from
 * now on waits; then the write that reports the end refuses every redrive that has looked before.
 * @param died when it died, epoch milliseconds; NaN: not known
 * @returns undefined: it was redriven, and its run has the key
 */
export function dropDeadRun(
  key: StoreKey,
  record: StageRecord | undefined,
  deadRun: DeadRun & { readonly died: number },
  { now, retention }: EndOptions,
): RunDrop | undefined {
  const run = record?.run
  if (run?.uniqueRequestId === deadRun.uniqueRequestId) return undefined
  const own = deadRunKey(key, deadRun.uniqueRequestId)
  const asShown: readonly Condition[] = [
    { field: 'fence', is: '=', value: deadRun.fence },
    { field: 'epoch', is: '=', value: deadRun.epoch },
    { exists: 'statusShard' },
  ]
  const report = reportDrop(key, deadRun, { now, retention, due: quietFrom(deadRun.died, now) })
  return {
    mark: { key: own, where: asShown, set: { dropped: 'begun' } },
    ending: {
      as: 'reset',
      remember: record === undefined ? [goneRecord(key, deadRun, now)] : [],
      deadRun: undefined,
      finish: { key, ...refusingRedrives(record ?? deadRun), needsNoItem: true },
      report,
    },
    afterwards: {
      key: own,
      where: [...asShown, { field: 'dropped', is: '=', value: 'begun' }],
      set: { dropped: 'done', ttl: ttlAt(now + retention) },
      remove: INDEX_ATTRIBUTES,
    },
  }
}

/** A call that the last attempt has cut off may be on its way for as long as a function can run. */
function quietFrom(died: number, now: number): number {
  // @protects what is taken back after a drop cannot land later
  // @without now @tests test/claim/stage/dropRun
  const until = Number.isNaN(died) ? now + MAX_LAMBDA_MS : died + MAX_LAMBDA_MS
  return Math.max(now, until)
}

/** A record that counts as gone: it holds nothing but the numbers, which a start compares. */
function goneRecord(key: StoreKey, { epoch, fence }: DeadRun, now: number): Upsert {
  const create = { ...key, epoch, fence, ttl: ttlAt(now - DAY_MS) }
  return { create, update: { key, where: [{ absent: 'epoch' }], set: {} } }
}

/** A start compares epoch and fence with what it has seen, and looks for the dead run again at every other epoch. */
function refusingRedrives(
  record: Pick<StageRecord, 'epoch' | 'fence'> & { readonly run?: StageRun | undefined },
): Pick<Update, 'where' | 'set'> {
  // The epoch of a run that has the key is in its messages, and its end raises it.
  if (record.run !== undefined) return { where: sameRun(record, record.run), set: {} }
  const sameEpoch: Condition = { field: 'epoch', is: '=', value: record.epoch }
  // @protects a redrive that has looked before a drop does not reopen the run
  // @without record.epoch @tests test/claim/stage/dropRun
  const epoch = record.epoch + 1
  return { where: [sameEpoch, sameFence(record)], set: { epoch } }
}
