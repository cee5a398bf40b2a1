import { endOfFenced } from './decideConflict.ts'
import { decideEntry, endOfDead } from './decideEntry.ts'
import { decideRedrive } from './decideRedrive.ts'
import type { StageRequest } from './stageMessage.ts'
import { isLost } from './isLost.ts'
import { isOfOtherOrder } from './isOfOtherOrder.ts'
import { endOf, currentHistory } from './requestHistory.ts'
import type { StageRecord } from './stageRecord.ts'
import type { StageVerdict } from './verdict.ts'

/**
 * The complete rule for a message of a later stage: it claims within the run that sent it, and in no other run. A run that a
 * redrive has reopened accepts the messages that were on their way when it died, because no stage would send them again.
 */
export function decideStage(
  record: StageRecord | undefined,
  request: StageRequest,
  now: number,
): StageVerdict {
  if (isOfOtherOrder(record, request)) return { kind: 'refuse', because: 'order' }
  const fenced = record && endOfFenced(record)
  if (fenced !== undefined) return fenced
  const run = record?.run
  const redriven = request.death !== undefined
  if (record !== undefined && run?.uniqueRequestId === request.uniqueRequestId) {
    if (isLost(record, request)) return { kind: 'refuse', because: 'lost' }
    const belongs = redriven || run.reopened || record.epoch === request.epoch
    return belongs ? decideEntry(record, run, request, now) : { kind: 'over', as: 'stale' }
  }
  return redriven ? decideRedrive(record, request, now) : decideStale(record, request)
}

/** Decides for a message whose run has ended. If the request died while the message was on its way, the message is not dropped. */
function decideStale(record: StageRecord | undefined, request: StageRequest): StageVerdict {
  if (isLost(record, request)) return { kind: 'refuse', because: 'lost' }
  if (record === undefined) return { kind: 'over', as: 'stale' }
  const known = currentHistory(record, request.history)
  const end = endOf(record, request, known)
  if (end === 'undone' || known?.deadRun?.undo !== undefined) return { kind: 'over', as: 'undone' }
  if (end !== 'dead' && (end !== undefined || known !== undefined || request.order === 'newest')) {
    return { kind: 'over', as: 'stale' }
  }
  if (known === undefined) return { kind: 'lookUp', epoch: record.epoch }
  const { deadRun } = known
  if (deadRun === undefined) return { kind: 'over', as: 'stale' }
  const entry = deadRun.stages.get(request.stage)
  if (entry === undefined) return { kind: 'abandonedMessage', death: deadRun.epoch }
  return entry.status === 'dead' ? endOfDead(entry, request) : { kind: 'over', as: 'duplicate' }
}
