import type { StartRequest } from './stageMessage.ts'
import { leaseOf } from './stageEntry.ts'
import { type EndingKind, IN_SQL, type StageRun, type StageRecord } from './stageRecord.ts'
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
  if (request.onConflict === 'supersede') {
    return request.undoPlan !== undefined && hasToUndo(run)
      ? endRun(record, 'superseded')
      : { kind: 'start', record }
  }
  if (mayAbandon(run, now)) return abandonment(record, run)
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

/** The run that has the key is out of time. */
export function abandonment(record: StageRecord, run: StageRun): StageVerdict {
  return hasToUndo(run) ? endRun(record, 'abandoned') : { kind: 'abandonRun', record }
}

/** An ending run has no other future. */
export function endOfFenced(record: StageRecord): StageVerdict | undefined {
  const ending = record.run?.ending
  return ending && endRun(record, ending.as)
}

/**
 * Without marks it has made no effect, and is ended like any other run: the write that ends it says that there are none. What a
 * stage has made in SQL, only the database knows; a stage that is claimed since the read raises the fence.
 */
export function hasToUndo({ undoPlan, marks, stages }: StageRun): boolean {
  if (undoPlan === undefined) return false
  return marks.size > 0 || [...stages.keys()].some((stage) => mayHaveSql(undoPlan, stage))
}

function mayHaveSql(plan: string, stage: string): boolean {
  return plan.startsWith(IN_SQL) && plan.includes(`["${stage}",`)
}

function endRun(record: StageRecord, as: EndingKind): StageVerdict {
  return { kind: 'endRun', record, as }
}

export function busy(run: StageRun): StageVerdict {
  const leases = [...run.stages.values()].map(leaseOf)
  const until = Math.max(0, ...leases)
  return { kind: 'busy', until: until === 0 ? run.giveUpAt : until }
}
