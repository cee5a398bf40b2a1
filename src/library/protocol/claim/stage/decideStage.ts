import { decideConflict } from './decideConflict.ts'
import {
  decideEntry,
  endOfDead,
  decideRedrive,
  forgotten,
  isLost,
  isOutdated,
} from './decideEntry.ts'
import type { StageRequest, StartRequest } from './stageMessage.ts'
import {
  endOf,
  currentHistory,
  endInHistory,
  endReasonOf,
  payloadBefore,
} from './requestHistory.ts'
import type { StageRecord, Process } from './stageRecord.ts'
import type { StageVerdict } from './verdict.ts'
import { isNamesake } from '../token/claimedBy.ts'
import { isOtherPayload, isSamePayload, digestOf, requestIn, versionOf } from './version.ts'
import type { EndReason } from '../settlement.ts'

/**
 * The complete rule for a message of a later stage: it claims within the run that sent it, and in no other run. A run that a
 * redrive has reopened accepts the messages that were on their way when it died, because no stage would send them again.
 */
export function decideStage(
  record: StageRecord | undefined,
  request: StageRequest,
  now: number,
): StageVerdict {
  if (isProcessedOtherwise(record, request)) return { kind: 'refuse', because: 'process' }
  const run = record?.run
  const redriven = request.death !== undefined
  // @survives ConditionalExpression: without a record there is no run, and no request has the id undefined; the check is for the
  // types.
  if (record !== undefined && run?.uniqueRequestId === request.uniqueRequestId) {
    if (isLost(record, request)) return { kind: 'refuse', because: 'lost' }
    // @protects a later stage claims within the run that sent it
    // @without true
    const belongs = redriven || run.reopened || record.epoch === request.epoch
    return belongs ? decideEntry(record, run, request, now) : { kind: 'over', as: 'stale' }
  }
  return redriven ? decideRedrive(record, request, now) : decideStale(record, request)
}

/** Decides for a message whose run has ended. If the request died while the message was on its way, the message is not dropped. */
function decideStale(record: StageRecord | undefined, request: StageRequest): StageVerdict {
  if (isLost(record, request)) return { kind: 'refuse', because: 'lost' }
  const known = currentHistory(record, request.history)
  const end = endInHistory(record, request, known)
  if (end === 'completed' || end === 'reset' || isOutdated(record, request)) {
    return { kind: 'over', as: 'stale' }
  }
  if (known === undefined) return { kind: 'lookUp', epoch: record?.epoch ?? 0 }
  const { deadRun } = known
  if (deadRun === undefined || end === undefined) {
    // @protects a message of a run that nothing remembers is not dropped
    // @without { kind: 'over', as: 'stale' } @tests test/claim/stage
    return forgotten(request)
  }
  const entry = deadRun.stages.get(request.stage)
  if (entry === undefined) return { kind: 'abandonedMessage', death: deadRun.epoch }
  return entry.status === 'dead' ? endOfDead(entry, request) : { kind: 'over', as: 'duplicate' }
}

/** The complete rule for a message of the first stage. It is applied again to the item that refused the write that follows. */
export function decideStart(
  record: StageRecord | undefined,
  request: StartRequest,
  now: number,
): StageVerdict {
  const verdict = decide(record, request, now)
  // @protects two flows of one name do not share a record
  if (isOfNamesake(record, request, verdict)) return { kind: 'refuse', because: 'name' }
  if (verdict.kind !== 'over' && verdict.kind !== 'replaced') return verdict
  const before = payloadBefore(record, request, currentHistory(record, request.history))
  // @protects another payload of a flow under a computed id is not dropped without a word
  // @without its else
  return isOtherPayload(before, request.payload) ? { ...verdict, otherPayload: true } : verdict
}

/**
 * Whether the record belongs to another flow that has the same name on the same table. Such a record must not be taken over, and
 * no message may be dropped because of it. Copies and dead letters are exempt: they come from the flow that had the claim, so
 * they may run on any queue they are moved to.
 */
function isOfNamesake(
  record: StageRecord | undefined,
  { by, resendNumber, death = 0, uniqueRequestId }: StartRequest,
  { kind }: StageVerdict,
): boolean {
  if (resendNumber > 0 || death > 0 || !isNamesake(record?.by, by) || kind === 'refuse')
    return false
  return record?.run?.uniqueRequestId === uniqueRequestId || kind === 'over' || kind === 'drop'
}

function decide(record: StageRecord | undefined, request: StartRequest, now: number): StageVerdict {
  if (isProcessedOtherwise(record, request)) return { kind: 'refuse', because: 'process' }
  const run = record?.run
  const isRedriven = request.death !== undefined && request.death > 0
  // A redriven request is not lost: the item of its dead run may hold its effects.
  if (
    isLost(record, request) &&
    (!isRedriven || run?.uniqueRequestId === request.uniqueRequestId)
  ) {
    return { kind: 'refuse', because: 'lost' }
  }
  const before = payloadBefore(record, request, currentHistory(record, request.history))
  // @protects another payload under the same id is a conflict
  if (!isSamePayload(before, request.payload)) return { kind: 'refuse', because: 'conflict' }
  // @protects a dead letter of a first stage brings back the same bytes
  if (isRedriven && isOtherPayload(before, request.payload)) {
    return { kind: 'refuse', because: 'conflict' }
  }
  // @survives ConditionalExpression: without a record there is no run, and no request has the id undefined; the check is for the
  // types.
  if (record !== undefined && run?.uniqueRequestId === request.uniqueRequestId) {
    return decideEntry(record, run, request, now)
  }
  if (isRedriven) return decideRedrive(record, request, now)
  if (record === undefined) return mayNotRun(request, now) ?? { kind: 'start', record }
  const end = hasEnded(record, request)
  if (end === 'ask') return { kind: 'lookUp', epoch: record.epoch }
  if (end !== undefined) return decideEnded(record, request, end, now)
  // @protects a request that was dropped does not run later
  if (record.dropped.includes(digestOf(request.uniqueRequestId))) {
    return { kind: 'over', as: 'dropped' }
  }
  const refusal = mayNotRun(request, now)
  if (refusal !== undefined) return refusal
  if (run !== undefined) return decideConflict(record, run, request, now)
  // @protects an older request does not start before one that waits
  // @without its else
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
  if (request.process === 'newest') {
    if (newest === undefined) return undefined
    if (requestIn(newest) === request.uniqueRequestId) return 'duplicate'
    // @survives EqualityOperator: a version holds the id of its request, and the line before has returned for the request of the
    // newest version, so the two are never the same.
    // @protects an older request does not run after a newer one
    // @without undefined
    return version < newest ? 'stale' : undefined
  }
  // @survives ConditionalExpression: no text is smaller than undefined, or equal to it; the check is for the types.
  const mayHaveLeft = forgotten !== undefined && version <= forgotten
  // @protects a request that may have left the record is looked up
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
  const entry = known.deadRun?.stages.get(request.stage)
  return entry?.status === 'dead' ? endOfDead(entry, request) : { kind: 'over', as }
}

/** While a newer request waits, an older one must not start before it. */
function isBarred(record: StageRecord, request: StartRequest): boolean {
  // @survives ConditionalExpression: no text is smaller than undefined, or equal to it; the check is for the types.
  if (request.onConflict !== 'coalesce' || record.waiting === undefined) return false
  return versionOf(request.sentAt, request.uniqueRequestId) < record.waiting
}

/**
 * Whether the flow had another `process` when its record began. The two remember different things: `newest` keeps no list of
 * ended requests, so `every` would run late copies again; and judged by the newest version alone, a dead letter of `every` would
 * look outdated.
 */
function isProcessedOtherwise(
  record: StageRecord | undefined,
  { process }: { readonly process: Process },
): boolean {
  // @protects a flow whose option process was changed runs nothing on old records
  // @without false
  return record !== undefined && record.process !== process
}
