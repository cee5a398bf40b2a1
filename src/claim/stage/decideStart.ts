import { isNamesake } from '../token/claimedBy.ts'
import { decideConflict, endOfFenced } from './decideConflict.ts'
import { decideEntry, endOfDead } from './decideEntry.ts'
import { decideRedrive } from './decideRedrive.ts'
import type { StartRequest } from './stageMessage.ts'
import { isOtherPayload, isSamePayload } from './fingerprint.ts'
import { isLost } from './isLost.ts'
import { isOfOtherOrder } from './isOfOtherOrder.ts'
import { endOf, currentHistory, endReasonOf, payloadBefore } from './requestHistory.ts'
import type { StageRecord } from './stageRecord.ts'
import type { EndReason } from '../settlement.ts'
import type { StageVerdict } from './verdict.ts'
import { digestOf, requestIn, versionOf } from './version.ts'

/** The complete rule for a message of the first stage. It is applied again to the item that refused the write that follows. */
export function decideStart(
  record: StageRecord | undefined,
  request: StartRequest,
  now: number,
): StageVerdict {
  const verdict = decide(record, request, now)
  if (isOfNamesake(record, request, verdict)) return { kind: 'refuse', because: 'name' }
  if (verdict.kind !== 'over') return verdict
  const before = payloadBefore(record, request, currentHistory(record, request.history))
  return isOtherPayload(before, request.payload) ? { ...verdict, otherPayload: true } : verdict
}

/**
 * Whether the record belongs to another flow that has the same name on the same table. Such a record must not be taken over, and
 * no message may be dropped because of it. Copies and dead letters are exempt: they come from the flow that had the claim, so
 * they may run on any queue they are moved to.
 */
function isOfNamesake(
  record: StageRecord | undefined,
  { by, retry, death = 0, uniqueRequestId }: StartRequest,
  { kind }: StageVerdict,
): boolean {
  if (retry > 0 || death > 0 || !isNamesake(record?.by, by) || kind === 'refuse') return false
  return record?.run?.uniqueRequestId === uniqueRequestId || kind === 'over' || kind === 'drop'
}

function decide(record: StageRecord | undefined, request: StartRequest, now: number): StageVerdict {
  if (isOfOtherOrder(record, request)) return { kind: 'refuse', because: 'order' }
  const fenced = record && endOfFenced(record)
  if (fenced !== undefined) return fenced
  const run = record?.run
  const isRedriven = request.death !== undefined && request.death > 0
  // For a redriven request, the item of its dead run may hold its effects.
  if (
    isLost(record, request) &&
    (!isRedriven || run?.uniqueRequestId === request.uniqueRequestId)
  ) {
    return { kind: 'refuse', because: 'lost' }
  }
  const before = payloadBefore(record, request, currentHistory(record, request.history))
  if (!isSamePayload(before, request.payload)) return { kind: 'refuse', because: 'conflict' }
  if (record !== undefined && run?.uniqueRequestId === request.uniqueRequestId) {
    return decideEntry(record, run, request, now)
  }
  if (isRedriven) return decideRedrive(record, request, now)
  if (record === undefined) return mayNotRun(request, now) ?? { kind: 'start', record }
  const end = hasEnded(record, request)
  if (end === 'ask') return { kind: 'lookUp', epoch: record.epoch }
  if (end !== undefined) return decideEnded(record, request, end, now)
  if (record.dropped.includes(digestOf(request.uniqueRequestId))) {
    return { kind: 'over', as: 'dropped' }
  }
  const refusal = mayNotRun(request, now)
  if (refusal !== undefined) return refusal
  if (run !== undefined) return decideConflict(record, run, request, now)
  return isBarred(record, request) ? { kind: 'over', as: 'coalesced' } : { kind: 'start', record }
}

function mayNotRun(request: StartRequest, now: number): StageVerdict | undefined {
  if (request.refused) return { kind: 'refuse', because: 'rejected' }
  if (request.giveUpAt <= now) return { kind: 'refuse', because: 'too old' }
  return undefined
}

/**
 * `newest`: one comparison with the newest request that ever started recognises duplicates and stale, superseded, reset and
 * finished requests.
 */
function hasEnded(record: StageRecord, request: StartRequest): EndReason | 'ask' | undefined {
  const { newest, forgotten } = record
  const known = currentHistory(record, request.history)
  const end = endOf(record, request, known)
  if (end !== undefined) return endReasonOf(end)
  const version = versionOf(request.sentAt, request.uniqueRequestId)
  if (request.order === 'newest') {
    if (newest === undefined) return undefined
    if (requestIn(newest) === request.uniqueRequestId) return 'duplicate'
    return version < newest ? 'stale' : undefined
  }
  const mayHaveLeft = forgotten !== undefined && version <= forgotten
  return mayHaveLeft && known === undefined ? 'ask' : undefined
}

/** A redriven dead letter, or a message past its time limit, may belong to a run that the sweeper abandoned. */
function decideEnded(
  record: StageRecord,
  request: StartRequest,
  as: EndReason,
  now: number,
): StageVerdict {
  const mayBeLeft = request.giveUpAt <= now || request.death !== undefined
  if (!mayBeLeft || as !== 'alreadyDeadLettered') return { kind: 'over', as }
  const known = currentHistory(record, request.history)
  if (known === undefined) return { kind: 'lookUp', epoch: record.epoch }
  if (known.deadRun?.undo !== undefined) return { kind: 'over', as: 'undone' }
  const entry = known.deadRun?.stages.get(request.stage)
  return entry?.status === 'dead' ? endOfDead(entry, request) : { kind: 'over', as }
}

/** While a newer request waits, an older one must not start before it. */
function isBarred(record: StageRecord, request: StartRequest): boolean {
  if (request.onConflict !== 'coalesce' || record.waiting === undefined) return false
  return versionOf(request.sentAt, request.uniqueRequestId) < record.waiting
}
