import { decideClaim } from '../../../claim/token/decideClaim.ts'
import type { Token } from '../../../claim/token/token.ts'
import { decideEntry } from '../../../claim/stage/decideEntry.ts'
import { endedRequestKey, readEndedRequest } from '../../../claim/stage/endRun.ts'
import type { StageVerdict } from '../../../claim/stage/verdict.ts'
import { isAtEnd } from '../../../claim/stage/stageEntry.ts'
import type { EndKind, StageRecord } from '../../../claim/stage/stageRecord.ts'
import { digestOf, requestIn } from '../../../claim/stage/version.ts'
import type { Item } from '../../../store/store.ts'
import { describeEntry } from './describeFlow.ts'
import { formatRelative } from '../text/humanTime.ts'

/** What the next call or delivery would do, decided by the claim's own rule. */
export function fateOfCall(token: Token, now: number): string {
  const verdict = decideClaim(token, ANY_COPY, now)
  switch (verdict.kind) {
    case 'duplicate':
      return 'gets the stored outcome; nothing runs'
    case 'alreadyDeadLettered':
      return 'refused (HTTP 500) until an operator resolves or releases the key; nothing runs'
    case 'held':
      return `waits for the running call, then gets its outcome; HTTP 409 if that takes too long. The lease ends ${formatRelative(verdict.until, now)}`
    case 'start':
      return 'runs: the retention of the earlier outcome has ended'
    case 'takeOver':
      return 'runs the whole section: the lease of the earlier call has ended'
    default:
      return verdict.kind
  }
}

/** What the next call or delivery would do, decided by the claim's own rule. */
export function fateOfCopy(token: Token, now: number): string {
  const verdict = decideClaim(token, ANY_COPY, now)
  switch (verdict.kind) {
    case 'duplicate':
      return 'dropped as a duplicate: the request is done'
    case 'undone':
      return 'dropped as undone: its effects are undone, or are being undone'
    case 'alreadyDeadLettered':
      return 'dropped: the request was dead-lettered or parked, and waits for an operator'
    case 'held':
      return `deferred until the lease of the running attempt ends, ${formatRelative(verdict.until, now)}`
    case 'early':
      return `deferred until the next attempt is due, ${formatRelative(verdict.until, now)}`
    case 'replaced':
      return 'dropped: a newer resend of it is confirmed to be on the queue'
    case 'start':
      return 'runs as a new request: the retention of the earlier end has ended'
    case 'takeOver':
      return `runs, as attempt ${token.attempt + 1}, unless the retry budget or time limit is exhausted`
    case 'deadLetter':
      return 'does not run: its dead letter is sent'
    default:
      return verdict.kind
  }
}

const ANY_COPY = {
  pk: '',
  attemptId: '',
  lockedBy: '',
  leaseUntil: 0,
  expectedCompletion: 0,
  maxAttempts: Infinity,
  payloadHash: undefined,
  trustsUnhashed: true,
  retry: 0,
  death: undefined,
  deadLetter: false,
  refused: false,
}

/** What the next delivery of this request would do, from the record and the items beside it. */
export function fateOfFlowCopy(
  record: StageRecord,
  items: readonly Item[],
  uniqueRequestId: string,
  now: number,
): string {
  const { run, newest, dropped, waiting } = record
  if (run?.uniqueRequestId === uniqueRequestId) return fateInRun(record, run, now)
  const digest = digestOf(uniqueRequestId)
  const end = storedEnd(record, items, digest)
  if (end !== undefined) return `dropped: ${END_TEXTS[end]}`
  if (dropped.includes(digest))
    return 'dropped: another request held the key when it was first delivered (onConflict: drop)'
  if (waiting !== undefined && requestIn(waiting) === uniqueRequestId) {
    return 'deferred as the newest request, until the key is free'
  }
  if (newest !== undefined && requestIn(newest) === uniqueRequestId) {
    return 'dropped as a duplicate: it was the last request that started'
  }
  if (newest === undefined) return 'runs: the flow has no record of it'
  return `dropped as stale if it was first sent before ${requestIn(newest)}, the newest request that started; otherwise it is new`
}

function fateInRun(record: StageRecord, run: NonNullable<StageRecord['run']>, now: number): string {
  const stages = [...run.stages].filter(([, entry]) => !isAtEnd(entry))
  if (stages.length === 0)
    return 'dropped as a duplicate: its stages are done, and the messages to the next ones were sent'
  return stages
    .map(([stage, entry]) => {
      const request = { ...ANY_DELIVERY, stage, uniqueRequestId: run.uniqueRequestId }
      return `stage ${stage}: ${DECISION_TEXTS[decideEntry(record, run, request, now).kind] ?? describeEntry(entry, now)}`
    })
    .join('; ')
}

const ANY_DELIVERY = {
  attemptId: '',
  leaseUntil: 0,
  maxAttempts: Infinity,
  retry: 0,
  death: undefined,
  giveUpAt: 0,
  refused: false,
  history: undefined,
  seen: 0,
  young: false,
  fifo: false,
}

const DECISION_TEXTS: Readonly<Partial<Record<StageVerdict['kind'], string>>> = {
  held: 'deferred: an attempt holds the lease',
  early: 'deferred until the next attempt is due',
  replaced: 'dropped: a newer resend is confirmed to be on the queue',
  takeOver:
    'runs, unless the retry budget or time limit is exhausted: the earlier attempt was lost',
  deadLetter: 'dead-lettered without running: retry budget or time limit exhausted',
  busy: 'waits for the stage before it to settle',
}

function storedEnd(
  record: StageRecord,
  items: readonly Item[],
  digest: string,
): EndKind | undefined {
  if (record.last?.digest === digest) return record.last.as
  const remembered = record.ended.findLast((end) => end.digest === digest)
  const { sk } = endedRequestKey(record.key, digest)
  return remembered?.as ?? readEndedRequest(items.find((item) => item['sk'] === sk))
}

const END_TEXTS: Readonly<Record<EndKind, string>> = {
  completed: 'a duplicate of a completed request',
  reset: 'the request was reset',
  undone: 'the request was ended before its time; its effects were undone, or are being undone',
  dead: 'the request is dead; a redrive of its dead letter reopens it',
}
