import { abandonment, busy, mayAbandon } from './decideConflict.ts'
import type { StageMessage } from './stageMessage.ts'
import type { DeadEntry, OpenEntry, RetryEntry, StageEntry } from './stageEntry.ts'
import type { StageRun, StageRecord } from './stageRecord.ts'
import type { StageVerdict } from './verdict.ts'

/** Decides for a message that belongs to the run which has the flow, by the entry of its own stage. */
export function decideEntry(
  record: StageRecord,
  run: StageRun,
  request: StageMessage,
  now: number,
): StageVerdict {
  const entry = run.stages.get(request.stage)
  if (entry?.status !== 'settled' && isUnsent(run.stages, request)) {
    return { kind: 'refuse', because: 'unsent' }
  }
  if (entry === undefined) return decideUnfinished(record, run, undefined, request, now)
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

/** A run that is out of time must be ended first: the dead letter then reopens it with a new time limit. */
function decideDead(
  record: StageRecord,
  run: StageRun,
  entry: DeadEntry,
  request: StageMessage,
  now: number,
): StageVerdict {
  if (request.death !== entry.epoch) return endOfDead(entry, request)
  if (request.refused) return { kind: 'refuse', because: 'rejected' }
  if (run.giveUpAt > now) return isEarly(run, request) ? busy(run) : { kind: 'revive', record }
  return mayAbandon(run, now) ? abandonment(record, run) : busy(run)
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
  if (!isLetter && entry.sent && request.retry < entry.resendNumber) return { kind: 'replaced' }
  const ends = request.refused || run.giveUpAt <= now
  if (!ends && entry.notBefore > now) return { kind: 'early', until: entry.notBefore }
  return decideUnfinished(record, run, entry, request, now)
}

/**
 * A stage begins only when the stage that sent its message has settled. A sender that was killed before it settled runs again,
 * and must not overwrite the effects of later stages.
 */
function isEarly(run: StageRun, { after }: StageMessage): boolean {
  const sender = after === undefined ? undefined : run.stages.get(after)
  return sender !== undefined && sender.status !== 'settled'
}

/** Anyone who may send to the queue can forge such a message. The record shows which stages have sent to which. */
export function isUnsent(
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
  if (!expired && isEarly(run, request)) return busy(run)
  if (request.refused) return { kind: 'deadLetter', record, because: 'rejected' }
  return expired ? { kind: 'deadLetter', record, because: 'too old' } : { kind: 'begin', record }
}
