import { busy, mayAbandon } from './decideConflict.ts'
import type { StageMessage } from './stageMessage.ts'
import type { DeadEntry, OpenEntry, RetryEntry, StageEntry } from './stageEntry.ts'
import type { StageRun, StageRecord, Process } from './stageRecord.ts'
import type { StageVerdict } from './verdict.ts'
import { currentHistory, endInHistory, endReasonOf } from './requestHistory.ts'
import type { DeadRun } from './deadRun.ts'
import { isOtherPayload, requestIn, versionOf } from './version.ts'

/** Decides for a message that belongs to the run which has the flow, by the entry of its own stage. */
export function decideEntry(
  record: StageRecord,
  run: StageRun,
  request: StageMessage,
  now: number,
): StageVerdict {
  const entry = run.stages.get(request.stage)
  // @protects a message that no stage has sent is refused
  if (entry?.status !== 'settled' && isUnsent(run.stages, request)) {
    return { kind: 'refuse', because: 'unsent' }
  }
  if (entry === undefined) return decideUnfinished(record, run, undefined, request, now)
  if (!isSureOfStage(run.payloads, request)) {
    return entry.status === 'settled'
      ? { kind: 'over', as: 'duplicate', otherPayload: true }
      : { kind: 'refuse', because: 'conflict' }
  }
  switch (entry.status) {
    case 'settled':
      return { kind: 'over', as: 'duplicate' }
    case 'dead':
      return decideDead(record, run, entry, request, now)
    case 'dying':
      return decideDying(record, entry, request, now)
    case 'open':
      return decideOpen(record, run, entry, request, now)
    case 'retry':
      return decideRetry(record, run, entry, request, now)
  }
}

/**
 * Whether the message has what its stage began with. What an earlier version has begun is not known: then one that cannot be read
 * ends nothing.
 */
function isSureOfStage(
  payloads: ReadonlyMap<string, string>,
  { stage, laterPayload, refused }: StageMessage,
): boolean {
  if (laterPayload === undefined) return true
  const known = payloads.get(stage)
  // @protects another payload neither ends nor continues a later stage
  // @without true @tests test/flow/conflictingPayload
  return known === undefined ? !refused : !isOtherPayload(known, laterPayload)
}

/** A run that is out of time must be ended first: the dead letter then reopens it with a new time limit. */
function decideDead(
  record: StageRecord,
  run: StageRun,
  entry: DeadEntry,
  request: StageMessage,
  now: number,
): StageVerdict {
  // @protects only the dead letter of the last death revives a stage
  if (request.death !== entry.epoch) return endOfDead(entry, request)
  if (request.refused) return { kind: 'refuse', because: 'rejected' }
  if (run.giveUpAt > now) return isEarly(run, request) ? busy(run) : { kind: 'revive', record }
  return mayAbandon(run, now) ? { kind: 'abandonRun', record } : busy(run)
}

/**
 * The sweeper abandons a run without a dead letter. The message that is left becomes the dead letter, even if it is a dead letter
 * of an earlier death.
 */
export function endOfDead(entry: DeadEntry, request: StageMessage): StageVerdict {
  const { death = 0 } = request
  return entry.reason === 'abandoned' && death < entry.epoch
    ? { kind: 'abandonedMessage', death: entry.epoch }
    : { kind: 'over', as: 'alreadyDeadLettered' }
}

function decideDying(
  record: StageRecord,
  entry: Extract<StageEntry, { status: 'dying' }>,
  request: StageMessage,
  now: number,
): StageVerdict {
  if (entry.attemptId === request.attemptId) return { kind: 'deadLettering', record }
  // @protects a stage that is being dead-lettered is left to the attempt that does so
  if (entry.leaseUntil > now) return { kind: 'held', until: entry.leaseUntil }
  return { kind: 'deadLetter', record, because: entry.reason }
}

function decideOpen(
  record: StageRecord,
  run: StageRun,
  entry: OpenEntry,
  request: StageMessage,
  now: number,
): StageVerdict {
  const mine = entry.attemptId === request.attemptId
  // @protects a live lease of a stage is respected
  if (!mine && entry.leaseUntil > now) return { kind: 'held', until: entry.leaseUntil }
  if (mine && run.giveUpAt > now) return { kind: 'mine', record }
  return decideUnfinished(record, run, entry, request, now)
}

function decideRetry(
  record: StageRecord,
  run: StageRun,
  entry: RetryEntry,
  request: StageMessage,
  now: number,
): StageVerdict {
  // A dead letter is the only copy of its message, because the copy that replaced it may have been refused.
  const isLetter = request.death !== undefined
  if (!isLetter && entry.sent && request.resendNumber < entry.resendNumber)
    return { kind: 'replaced' }
  const ends = request.refused || run.giveUpAt <= now
  // @protects a retry of a stage does not begin before its time
  if (!ends && entry.notBefore > now) return { kind: 'early', until: entry.notBefore }
  return decideUnfinished(record, run, entry, request, now)
}

/**
 * A stage begins only when the stage that sent its message has settled. A sender that was killed before it settled runs again,
 * and must not overwrite the effects of later stages.
 */
function isEarly(run: StageRun, { after }: StageMessage): boolean {
  // @survives ConditionalExpression: no stage has the name undefined, so none is found; the check is for the types.
  const sender = after === undefined ? undefined : run.stages.get(after)
  return sender !== undefined && sender.status !== 'settled'
}

/** Anyone who may send to the queue can forge such a message. The record shows which stages have sent to which. */
function isUnsent(
  stages: ReadonlyMap<string, StageEntry>,
  { after, stage }: StageMessage,
): boolean {
  if (after === undefined) return false
  const sender = stages.get(after)
  return sender === undefined || (sender.status === 'settled' && !sender.sentTo.includes(stage))
}

/** Decides for a stage on which no attempt is running. */
function decideUnfinished(
  record: StageRecord,
  run: StageRun,
  entry: OpenEntry | RetryEntry | undefined,
  request: StageMessage,
  now: number,
): StageVerdict {
  if (entry === undefined) return decideFirst(record, run, request, now)
  if (request.refused) return { kind: 'deadLetter', record, because: 'rejected' }
  if (run.giveUpAt <= now) return { kind: 'deadLetter', record, because: 'too old' }
  // @protects executions of a stage are limited
  if (entry.attempt >= request.maxAttempts)
    return { kind: 'deadLetter', record, because: 'exhausted' }
  return { kind: 'takeOver', record }
}

/**
 * Decides for a stage that has not begun in this run. Until the sending stage has settled, the record does not show whether it
 * sent this message.
 */
function decideFirst(
  record: StageRecord,
  run: StageRun,
  request: StageMessage,
  now: number,
): StageVerdict {
  const expired = run.giveUpAt <= now
  // @protects a stage begins only when the one that sent its message has settled
  if (!expired && isEarly(run, request)) return busy(run)
  if (request.refused) return { kind: 'deadLetter', record, because: 'rejected' }
  return expired ? { kind: 'deadLetter', record, because: 'too old' } : { kind: 'begin', record }
}

type Redriven = StageMessage & { readonly sentAt: number; readonly process: Process }

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
  // @protects a redrive does not replace a newer request
  if (isOutdated(record, request)) return { kind: 'over', as: 'superseded' }
  if (deadRun === undefined && isLost(record, request)) return { kind: 'refuse', because: 'lost' }
  const end = endInHistory(record, request, known)
  if (end === 'completed' || end === 'reset') return { kind: 'over', as: endReasonOf(end) }
  if (deadRun === undefined || end === undefined) {
    // @protects a dead letter whose run nothing remembers is not dropped
    // @without { kind: 'over', as: 'alreadyDeadLettered' } @tests test/claim/stage
    return forgotten(request)
  }
  const entry = deadRun.stages.get(request.stage)
  if (!isValid(entry, request)) {
    // @survives ConditionalExpression, OptionalChaining: a stage without an entry is valid and does not come here, and of those that
    // do the settled one has no reason, so it is over as dead by the other way too.
    return entry?.status === 'dead'
      ? endOfDead(entry, request)
      : { kind: 'over', as: 'alreadyDeadLettered' }
  }
  if (entry !== undefined && !isSureOfStage(deadRun.payloads, request)) {
    return { kind: 'refuse', because: 'conflict' }
  }
  if (entry === undefined && isUnsent(deadRun.stages, request)) {
    return { kind: 'refuse', because: 'unsent' }
  }
  // @protects a redrive waits for a drop that has begun
  // @without false @tests test/claim/stage/dropRun
  const isBeingDropped = deadRun.dropped === 'begun'
  if (isBeingDropped) return later(request, { kind: 'busy', until: now + DROP_MS })
  // @protects the dead stage that sent a message is redriven before its receiver
  if (isAhead(deadRun, request))
    return { kind: 'abandonedMessage', death: request.death ?? deadRun.epoch }
  if (request.refused) return { kind: 'refuse', because: 'rejected' }
  const { continuable = Infinity } = deadRun
  if (Math.min(request.giveUpAt, continuable) <= now) return { kind: 'refuse', because: 'too old' }
  const run = record?.run
  // @survives ConditionalExpression: the run is that of the record, so without a record there is none; the check is for the types.
  if (record === undefined || run === undefined) return { kind: 'reopen', record, deadRun }
  if (mayAbandon(run, now)) return { kind: 'abandonRun', record }
  return later(request, busy(run))
}

/** An operator's command ends within seconds; one that was killed is repeated by hand. Milliseconds. */
const DROP_MS = 60_000

/** The group of the FIFO queue may hold, behind this message, messages that the running request still needs. */
function later({ fifo }: StageMessage, verdict: StageVerdict): StageVerdict {
  return fifo ? { kind: 'refuse', because: 'busy' } : verdict
}

/** A stage that never ran may run, whichever death its message carries. A dead stage is reopened only by its own dead letter. */
function isValid(entry: StageEntry | undefined, request: Redriven): boolean {
  if (entry === undefined) return true
  return (
    entry.status === 'dead' &&
    // @protects a dead stage is reopened only by its own dead letter
    entry.epoch === request.death
  )
}

/**
 * The stage that sent the message died as well. If it were reopened later it would overwrite the effects of this stage. So its
 * dead letter has to be redriven first; this stage runs once it has settled.
 */
function isAhead({ stages }: DeadRun, { after }: Redriven): boolean {
  // @survives ConditionalExpression: no stage has the name undefined, so none is found; the check is for the types.
  const sender = after === undefined ? undefined : stages.get(after)
  return sender !== undefined && sender.status !== 'settled'
}

/** How its run ended is not known: it may have completed. */
export function forgotten({ young }: StageMessage): StageVerdict {
  return { kind: 'refuse', because: young ? 'lost' : 'too old' }
}

/** Whether a newer request of a `newest` flow has had the key since. */
export function isOutdated(record: StageRecord | undefined, request: Redriven): boolean {
  const newest = record?.newest
  if (request.process === 'every' || newest === undefined) return false
  if (requestIn(newest) === request.uniqueRequestId) return false
  // @survives EqualityOperator: a version holds the id of its request, and the line before has returned for the request of the
  // newest version, so the two are never the same.
  return versionOf(request.sentAt, request.uniqueRequestId) < newest
}

/**
 * Whether the record has lost the run of this message. Epochs only grow, and an idle record is kept for the retention: an older
 * epoch means that the record was restored from a backup, a missing record that it was deleted by hand. The effects that it
 * recorded are lost.
 */
export function isLost(record: StageRecord | undefined, request: StageMessage): boolean {
  const { young, seen, death = 0 } = request
  // @protects a run whose record was lost is not begun again
  // @without false
  return young && (record?.epoch ?? 0) < Math.max(seen, death)
}
