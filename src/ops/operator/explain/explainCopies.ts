import { decideClaim } from '../../../claim/token/decideClaim.ts'
import type { Token } from '../../../claim/token/token.ts'
import { decideEntry } from '../../../claim/stage/decideEntry.ts'
import { endedRequestKey, readEndedRequest } from '../../../claim/stage/endRun.ts'
import { isAtEnd } from '../../../claim/stage/stageEntry.ts'
import type { EndKind, StageRecord } from '../../../claim/stage/stageRecord.ts'
import { digestOf, requestIn } from '../../../claim/stage/version.ts'
import type { Item } from '../../../store/store.ts'
import { describeEntry } from './describeFlow.ts'
import { formatRelative } from '../text/humanTime.ts'

/** By the rule of the claim itself. */
export function fateOfCall(token: Token, now: number): string {
  const verdict = decideClaim(token, ANY_COPY, now)
  switch (verdict.kind) {
    case 'duplicate':
      return 'gets what the first one got; nothing is run'
    case 'alreadyDeadLettered':
      return 'is refused (over HTTP 500), and nothing is run, until a person has resolved or released the key'
    case 'held':
      return `waits for the call that runs, then gets its answer; over HTTP 409 when that takes too long. The lease is over ${formatRelative(verdict.until, now)}`
    case 'start':
      return 'runs: the end was longer ago than it is remembered'
    case 'takeOver':
      return 'runs the whole section: the call before is over'
    default:
      return verdict.kind
  }
}

/** By the rule of the claim itself. */
export function fateOfCopy(token: Token, now: number): string {
  const verdict = decideClaim(token, ANY_COPY, now)
  switch (verdict.kind) {
    case 'duplicate':
      return 'dropped as a duplicate, since the request is done'
    case 'alreadyDeadLettered':
      return 'dropped, since the request was dead-lettered, or is parked, and waits for a person'
    case 'held':
      return `waits, since an attempt has the lease: asked again ${formatRelative(verdict.until, now)}`
    case 'early':
      return `waits until the next attempt is due, ${formatRelative(verdict.until, now)}`
    case 'replaced':
      return 'dropped, since a newer copy of it is on the queue for certain'
    case 'start':
      return 'runs as a new request, since the end was longer ago than it is remembered'
    case 'takeOver':
      return `runs, as attempt ${token.attempt + 1}, if its budget allows`
    case 'deadLetter':
      return 'brings the dead letter on its way, and does not run'
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

/** What the record, and the items beside it, remember of one request. */
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
    return 'dropped: it was refused, since another request had the key (onConflict: drop)'
  if (waiting !== undefined && requestIn(waiting) === uniqueRequestId) {
    return 'waits on the queue, as the newest, until the key is free'
  }
  if (newest !== undefined && requestIn(newest) === uniqueRequestId) {
    return 'dropped as a duplicate, since it was the last that started'
  }
  if (newest === undefined) return 'runs: the flow knows nothing of it'
  return `dropped as stale when it was first sent before ${requestIn(newest)}, the newest that started; else it is new`
}

function fateInRun(record: StageRecord, run: NonNullable<StageRecord['run']>, now: number): string {
  const stages = [...run.stages].filter(([, entry]) => !isAtEnd(entry))
  if (stages.length === 0)
    return 'dropped as a duplicate: its stages are done, and what comes next is on its way'
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

const DECISION_TEXTS: Readonly<Record<string, string>> = {
  held: 'waits, since an attempt has the lease',
  early: 'waits until the next attempt is due',
  replaced: 'dropped, since a newer copy is on the queue for certain',
  takeOver: 'runs, if its budget allows: the attempt before is over',
  deadLetter: 'is dead-lettered and does not run: its time or its attempts are used up',
  busy: 'waits for the stage before it',
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
  completed: 'a duplicate, since the request is completed',
  reset: 'the request was reset',
  dead: 'the request is dead; only its dead letter brings it back',
}
