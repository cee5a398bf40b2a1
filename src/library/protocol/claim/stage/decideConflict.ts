import type { StartRequest } from './stageMessage.ts'
import { leaseOf } from './stageEntry.ts'
import type { StageRun, StageRecord } from './stageRecord.ts'
import type { StageVerdict } from './verdict.ts'
import { versionOf, digestOf, requestIn } from './version.ts'
import type { Condition, Update } from '../../store/store.ts'
import type { EndReason } from '../settlement.ts'

/**
 * Decides for a request whose key another request has, and which is not older than the newest request that has started
 * (`newest`).
 */
export function decideConflict(
  record: StageRecord,
  run: StageRun,
  request: StartRequest,
  now: number,
): StageVerdict {
  if (request.onConflict === 'supersede') return { kind: 'start', record }
  if (mayAbandon(run, now)) return { kind: 'abandonRun', record }
  switch (request.onConflict) {
    case 'drop':
      return { kind: 'drop', record }
    case 'defer':
      return busy(run)
    case 'coalesce':
      return coalesce(record, run, request)
  }
}

/** Only the newest request waits. Its message stays on the queue, so nothing has to be stored about it when the run is reset. */
function coalesce(record: StageRecord, run: StageRun, request: StartRequest): StageVerdict {
  const version = versionOf(request.sentAt, request.uniqueRequestId)
  if (record.waiting === undefined || record.waiting < version) return { kind: 'wait', record }
  // @protects only the newest of the requests that wait goes on waiting
  // @without its then
  return record.waiting === version ? busy(run) : { kind: 'over', as: 'coalesced' }
}

/** The run's time limit is exhausted, and no attempt can be running. */
export function mayAbandon(run: StageRun, now: number): boolean {
  return (
    // @protects a run is not given up before its time
    run.giveUpAt <= now &&
    // @protects a run is not given up while an attempt may run
    [...run.stages.values()].every((entry) => leaseOf(entry) <= now)
  )
}

export function busy(run: StageRun): StageVerdict {
  const leases = [...run.stages.values()].map(leaseOf)
  const until = Math.max(0, ...leases)
  return { kind: 'busy', until: until === 0 ? run.giveUpAt : until }
}

/** How many refused requests a record remembers. Beyond that number, a second copy of the oldest one may run, once. */
// @protects more than one dropped request is remembered
// @without 1
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
  // @protects who waits or is dropped is written only as it was judged
  // @without []
  return [{ field: 'epoch', is: '=', value: record.epoch }, { exists: 'uniquerequestid' }]
}

function asSeen(field: string, value: string | undefined): Condition {
  return value === undefined ? { absent: field } : { field, is: '=', value }
}

/** The other request that has or had the key of a message, if the record names one. For the log. */
export function blockingRequestIn(
  record: StageRecord | undefined,
  { uniqueRequestId }: { readonly uniqueRequestId: string },
  as?: EndReason,
): string | undefined {
  if (record === undefined || as === 'duplicate' || as === 'alreadyDeadLettered' || as === 'reset')
    return
  const { run, newest, waiting } = record
  const rivals = [
    as === 'coalesced' && waiting !== undefined ? requestIn(waiting) : undefined,
    run?.uniqueRequestId,
    newest === undefined ? undefined : requestIn(newest),
  ]
  return rivals.find((id) => id !== undefined && id !== uniqueRequestId)
}
