import { abandonment, busy, mayAbandon } from './decideConflict.ts'
import { endOfDead, isUnsent } from './decideEntry.ts'
import { isLost } from './isLost.ts'
import type { StageMessage } from './stageMessage.ts'
import { endOf, currentHistory, endReasonOf } from './requestHistory.ts'
import { type DeadRun, REOPENED_RUN_ENDED } from './deadRun.ts'
import type { StageEntry } from './stageEntry.ts'
import type { Order, StageRecord } from './stageRecord.ts'
import type { StageVerdict } from './verdict.ts'
import { requestIn, versionOf } from './version.ts'

type Redriven = StageMessage & { readonly sentAt: number; readonly order: Order }

/**
 * Decides for a dead letter that was redriven while its request does not have the flow: it reopens the run once for each death,
 * and never in place of a newer request.
 */
export function decideRedrive(
  record: StageRecord | undefined,
  request: Redriven,
  now: number,
): StageVerdict {
  const known = currentHistory(record, request.history)
  if (known === undefined) return { kind: 'lookUp', epoch: record?.epoch ?? 0 }
  const { deadRun } = known
  if (deadRun?.undo !== undefined) return { kind: 'over', as: 'undone' }
  if (isOutdated(record, request)) return { kind: 'over', as: 'superseded' }
  if (deadRun === undefined && isLost(record, request)) return { kind: 'refuse', because: 'lost' }
  const end = record === undefined ? 'dead' : endOf(record, request, known)
  if (deadRun === undefined || end !== 'dead')
    return { kind: 'over', as: endReasonOf(end ?? 'dead') }
  if (deadRun.reopened === REOPENED_RUN_ENDED) return { kind: 'over', as: 'duplicate' }
  const entry = deadRun.stages.get(request.stage)
  if (!isValid(entry, request)) {
    return entry?.status === 'dead'
      ? endOfDead(entry, request)
      : { kind: 'over', as: 'alreadyDeadLettered' }
  }
  if (entry === undefined && isUnsent(deadRun.stages, request)) {
    return { kind: 'refuse', because: 'unsent' }
  }
  if (isAhead(deadRun, request))
    return { kind: 'abandonedMessage', death: request.death ?? deadRun.epoch }
  if (request.refused) return { kind: 'refuse', because: 'rejected' }
  const { continuable = Infinity } = deadRun
  if (Math.min(request.giveUpAt, continuable) <= now) return { kind: 'refuse', because: 'too old' }
  const run = record?.run
  if (record === undefined || run === undefined) return { kind: 'reopen', record, deadRun }
  if (mayAbandon(run, now)) return abandonment(record, run)
  // The group of the FIFO queue may hold, behind this message, messages that the running request still needs.
  return request.fifo ? { kind: 'refuse', because: 'busy' } : busy(run)
}

/** A stage that never ran may run, whichever death its message carries. A dead stage is reopened only by its own dead letter. */
function isValid(entry: StageEntry | undefined, request: Redriven): boolean {
  if (entry === undefined) return true
  return entry.status === 'dead' && entry.epoch === request.death
}

/**
 * The stage that sent the message died as well. If it were reopened later it would overwrite the effects of this stage. So its
 * dead letter has to be redriven first; this stage runs once it has settled.
 */
function isAhead({ stages }: DeadRun, { after }: Redriven): boolean {
  const sender = after === undefined ? undefined : stages.get(after)
  return sender !== undefined && sender.status !== 'settled'
}

function isOutdated(record: StageRecord | undefined, request: Redriven): boolean {
  const newest = record?.newest
  if (request.order === 'every' || newest === undefined) return false
  if (requestIn(newest) === request.uniqueRequestId) return false
  return versionOf(request.sentAt, request.uniqueRequestId) < newest
}
