import type { Item, Condition } from '../../store/store.ts'
import { AFTER_LOST, type AfterLost } from '../hold.ts'
import { marksAsJudged, reportEnd } from './endReport.ts'
import { holdStage } from './heldStage.ts'
import type { StageClaim, StageClaimRequest, Unread } from './stageClaim.ts'
import { readStageRecord, type StageRecord, STAGE } from './stageRecord.ts'
import type { ClaimVerdict } from './verdict.ts'
import { holds } from '../../store/condition.ts'
import { type ClaimWrite, claimWrite } from './claimWrite.ts'
import { type StageEntry, writeEntry } from './stageEntry.ts'

/** The number of executions that have begun, if the last one ended silently: the message may be what killed it. */
export function silentAttempts(
  { run }: StageRecord,
  { request, ahead }: StageClaimRequest,
): number | undefined {
  const entry = run?.stages.get(request.stage)
  return ahead && entry?.status === 'open' ? entry.attempt : undefined
}

/**
 * Whether no earlier attempt of the key can be late: each run before has ended with all its stages settled. The run of a later
 * stage may hold attempts of the stages before it, so only a start counts.
 */
export function isSurelyFirst(verdict: ClaimVerdict): boolean {
  if (verdict.kind !== 'start') return false
  const { record } = verdict
  return record === undefined || (record.run === undefined && record.last?.as === 'completed')
}

/** A stage that is still open when its message takes over, or gives up, was left open by a lost attempt. */
export function afterLost(
  verdict: ClaimVerdict,
  { request }: StageClaimRequest,
): AfterLost | undefined {
  if (verdict.kind !== 'takeOver' && verdict.kind !== 'deadLetter') return undefined
  const entry = verdict.record.run?.stages.get(request.stage)
  return entry?.status === 'open' ? AFTER_LOST : undefined
}

type HowClaimed = Pick<Extract<StageClaim, { kind: 'claimed' }>, 'first' | 'isSurelyFirst'> &
  AfterLost

/** @returns undefined when the item does not show that this attempt has the stage */
export function heldClaim(
  item: Item,
  { request, refusal }: StageClaimRequest,
  as: HowClaimed,
): StageClaim | undefined {
  const record = readStageRecord(item)
  const held = record && holdStage(record, request.stage, request.attemptId)
  if (held === undefined) return undefined
  const { entry } = held
  return entry.status === 'open'
    ? { kind: 'claimed', held: { ...held, entry }, ...as, refusal }
    : { kind: 'deadLettering', held: { ...held, entry }, refusal, ...(as.afterLost && AFTER_LOST) }
}

/** A claim that can be tried before the record is read: its condition holds everything that was assumed of the record. */
export interface ProbableClaim {
  readonly verdict: ClaimVerdict
  readonly write: ClaimWrite
}

type Claimant = Pick<StageClaimRequest, 'key' | 'request' | 'notBefore' | 'closing' | 'decide'> & {
  readonly unread?: Pick<Unread, 'fence'> | undefined
}

/**
 * The claim that a first delivery makes in most cases: of a key that has no record, or of the stage to which the last settled stage has
 * sent its only message. Written without a read it saves a round trip; refused it costs a write unit, and the item that refused it is
 * the look that was saved.
 */
export function probableClaim(claimant: Claimant): ProbableClaim | undefined {
  const { request, notBefore, closing, key, unread } = claimant
  if (unread === undefined || notBefore > closing.now) return undefined
  const isLater = 'epoch' in request
  const record = isLater ? assumedRecord(claimant, unread.fence) : undefined
  if (isLater && record === undefined) return undefined
  const verdict = claimant.decide(record, request)
  if (verdict.kind !== 'start' && verdict.kind !== 'begin') return undefined
  const write = claimWrite(verdict, request, key)
  if (write.kind === 'create') return { verdict, write }
  const where = [...write.update.where, ...assumed(claimant)]
  return { verdict, write: { kind: 'update', update: { ...write.update, where } } }
}

/** Whether the claim would have been made, had it been tried before this read. */
export function wouldHold({ write }: ProbableClaim, item: Item | undefined): boolean {
  return write.kind === 'create'
    ? item === undefined
    : item !== undefined && holds({ all: write.update.where }, item)
}

/** undefined: the message does not say what the record was like when it was sent. */
function assumedRecord(
  { key, request }: Claimant,
  fence: number | undefined,
): StageRecord | undefined {
  const { after } = request
  if (!('epoch' in request) || after === undefined || fence === undefined) return undefined
  const stages = new Map([[after, senderOf(request)]])
  const run = {
    uniqueRequestId: request.uniqueRequestId,
    giveUpAt: request.giveUpAt,
    stages,
    payloads: new Map<string, string>(),
    marks: new Set<string>(),
    applied: 0,
    reopened: false,
  }
  const { epoch, process } = request
  const nothing = { newest: undefined, waiting: undefined, forgotten: undefined, last: undefined }
  const ended = { dropped: [], ended: [], payloads: undefined, payload: undefined }
  return { key, process, epoch, fence, run, ...nothing, ...ended }
}

/** The assumed entry of the sending stage: it has sent one message, and has settled since. */
function senderOf({ stage }: { readonly stage: string }): StageEntry {
  return { status: 'settled', ends: false, sentTo: [stage] }
}

/** What `claimWrite` does not compare, because it is otherwise read. */
function assumed({ request, closing }: Claimant): Condition[] {
  const { after = '', process } = request
  return [
    { field: STAGE + after, is: '=', value: writeEntry(senderOf(request)) },
    { field: 'giveUpAt', is: '>', value: closing.now },
    process === 'newest' ? { absent: 'process' } : { field: 'process', is: '=', value: process },
  ]
}

/** The start of a newer request, with the report of the run that it supersedes. */
export function reportSuperseded(
  write: ClaimWrite,
  verdict: ClaimVerdict,
  { uniqueRequestId: by }: StageClaimRequest['request'],
  { now, retention }: StageClaimRequest['closing'],
): ClaimWrite {
  const record = verdict.kind === 'start' ? verdict.record : undefined
  if (write.kind !== 'update' || record?.run === undefined) return write
  const { run } = record
  const { stages } = run
  const report = reportEnd(record, run, { as: 'superseded', by, stages, now, retention })
  if (report === undefined) return write
  const { update } = write
  // @protects the report of a superseded run lists all that it has made
  // @without update.where @tests test/claim/stage/endReport
  const where = [...update.where, marksAsJudged(run)]
  return { kind: 'update', update: { ...update, where }, report }
}
