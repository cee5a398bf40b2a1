import type { StartRequest } from './stageMessage.ts'
import { leaseOf } from './stageEntry.ts'
import type { StageRun, StageRecord } from './stageRecord.ts'
import type { StageVerdict } from './verdict.ts'
import { versionOf } from './version.ts'

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
  return record.waiting === version ? busy(run) : { kind: 'over', as: 'coalesced' }
}

/** The run's time limit is exhausted, and no attempt can be running. */
export function mayAbandon(run: StageRun, now: number): boolean {
  return run.giveUpAt <= now && [...run.stages.values()].every((entry) => leaseOf(entry) <= now)
}

export function busy(run: StageRun): StageVerdict {
  const leases = [...run.stages.values()].map(leaseOf)
  const until = Math.max(0, ...leases)
  return { kind: 'busy', until: until === 0 ? run.giveUpAt : until }
}
