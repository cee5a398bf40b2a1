import type { Condition, Update } from '../../store/store.ts'
import type { StageRecord } from './stageRecord.ts'
import { digestOf, versionOf } from './version.ts'

/** How many refused requests a record remembers. Beyond that number, a second copy of the oldest one may run, once. */
const DROPPED = 16

/**
 * `drop`: written before the message is acknowledged, or a later copy of it would run once the flow is idle. If the write is
 * refused, decide again.
 */
export function writeDrop(record: StageRecord, uniqueRequestId: string): Update {
  const kept = [...record.dropped, digestOf(uniqueRequestId)].slice(-DROPPED)
  return {
    key: record.key,
    where: [...whileBusy(record), asSeen('dropped', record.dropped.join('') || undefined)],
    set: { dropped: kept.join('') },
    needsNoItem: true,
  }
}

/**
 * `coalesce`: from now on older requests are acknowledged, and this one waits on the queue. If the write is refused, decide
 * again.
 */
export function writeWaiting(
  record: StageRecord,
  request: { readonly sentAt: number; readonly uniqueRequestId: string },
): Update {
  return {
    key: record.key,
    where: [...whileBusy(record), asSeen('waiting', record.waiting)],
    set: { waiting: versionOf(request.sentAt, request.uniqueRequestId) },
  }
}

function whileBusy(record: StageRecord): Condition[] {
  return [{ field: 'epoch', is: '=', value: record.epoch }, { exists: 'uniquerequestid' }]
}

function asSeen(field: string, value: string | undefined): Condition {
  return value === undefined ? { absent: field } : { field, is: '=', value }
}
