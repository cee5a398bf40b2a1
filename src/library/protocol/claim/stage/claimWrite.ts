import type { Comparable, Condition, Creation, Item, StoreKey, Update } from '../../store/store.ts'
import type { StageMessage, StageRequest, StartRequest } from './stageMessage.ts'
import { stagesAsWritten } from './deadRun.ts'
import { type StageDeathReason, type StageEntry, writeEntry } from './stageEntry.ts'
import {
  MEMORY,
  payloadsAsWritten,
  type StageRun,
  sameFence,
  sameRun,
  STAGE,
  stageAttributes,
  type StageRecord,
} from './stageRecord.ts'
import { INDEX_ATTRIBUTES, indexed } from '../statusIndex.ts'
import type { ClaimVerdict } from './verdict.ts'
import { isOtherPayload, later, versionOf } from './version.ts'

export type AnyStageRequest = StartRequest | StageRequest

export type ClaimWrite =
  | { readonly kind: 'create'; readonly item: Item & StoreKey }
  /** `report`: of the end of the run that it supersedes, written in the same transaction. */
  | { readonly kind: 'update'; readonly update: Update; readonly report?: Creation | undefined }

/**
 * The write that a verdict asks for, conditional on everything the verdict depends on. If it is refused, decide again on the item
 * that refused it; if the store did not return that item, read it consistently.
 */
export function claimWrite(
  verdict: ClaimVerdict,
  request: AnyStageRequest,
  key: StoreKey,
): ClaimWrite {
  switch (verdict.kind) {
    case 'start':
      return startRun(verdict.record, request, key, { [request.stage]: opened(request, undefined) })
    case 'reopen':
      return reopen(verdict, request, key)
    case 'begin':
      return claimStage(verdict.record, request, (entry) => opened(request, entry))
    case 'takeOver':
      return claimStage(verdict.record, request, (entry) => opened(request, entry), atLimit)
    case 'revive': {
      const more = (run: StageRun): Begun['more'] => ({ reopened: true, ...atLimit(run, key) })
      return claimStage(verdict.record, request, (entry) => opened(request, entry), more)
    }
    case 'deadLetter':
      return claimStage(
        verdict.record,
        request,
        (entry) => dying(request, entry, verdict.because),
        atLimit,
      )
  }
}

/**
 * Lists the run in the status index, at its time limit. A run whose stages all end in their first attempt is never listed, which saves
 * two write units: if it is lost, the search of the sweeper lists it.
 */
function atLimit({ giveUpAt }: Pick<StageRun, 'giveUpAt'>, { pk }: StoreKey): Begun['more'] {
  return indexed(pk, 'running', giveUpAt)
}

/** The new entry of the stage. A released attempt does not count, and a revived stage starts a new retry budget. */
function opened(request: StageMessage, before: StageEntry | undefined): StageEntry {
  const { attemptId, leaseUntil } = request
  const [attempt, resendNumber] = isAttempted(before)
    ? [before.attempt, before.resendNumber]
    : [0, 0]
  return { status: 'open', attemptId, attempt: attempt + 1, leaseUntil, resendNumber }
}

function isAttempted(
  entry: StageEntry | undefined,
): entry is Extract<StageEntry, { status: 'open' | 'retry' }> {
  return entry?.status === 'open' || entry?.status === 'retry'
}

function dying(
  request: StageMessage,
  before: StageEntry | undefined,
  reason: StageDeathReason,
): StageEntry {
  const { attemptId, leaseUntil } = request
  const attempt = before !== undefined && 'attempt' in before ? before.attempt : 0
  return { status: 'dying', attemptId, attempt, leaseUntil, reason }
}

interface Begun {
  /** The epoch in the deadRun item. The record itself may have been deleted since. */
  readonly epoch: number
  readonly fence: number
  readonly more: Readonly<Record<string, Comparable>>
}

const FRESH: Begun = { epoch: 0, fence: 0, more: {} }

/**
 * Starts a run, on an idle flow or in place of an older run that a newer request supersedes. Nothing of the previous run is kept.
 */
function startRun(
  record: StageRecord | undefined,
  request: AnyStageRequest,
  key: StoreKey,
  stages: Readonly<Record<string, StageEntry>>,
  begun: Begun = FRESH,
): ClaimWrite {
  const version = versionOf(request.sentAt, request.uniqueRequestId)
  const isNew = record === undefined || record.forgets === true
  const set = {
    ...(isNew && request.process === 'every' ? { process: 'every' } : {}),
    epoch: epochAfter(record, request, begun),
    fence:
      Math.max(
        record?.fence ??
          // @protects the fences of a key whose record was deleted go on above those before
          request.first?.fence ??
          0,
        begun.fence,
      ) + 1,
    uniquerequestid: request.uniqueRequestId,
    // @protects the newest version is never lowered
    // @without version
    newest: later(record?.newest, version),
    giveUpAt: request.giveUpAt,
    ...(request.payload === undefined ? {} : { payload: request.payload }),
    ...byOf(request),
    ...failuresOf(request),
    ...stagesAsWritten(new Map(Object.entries(stages))),
    ...begun.more,
  }
  if (record === undefined) return { kind: 'create', item: { ...key, ...set } }
  const gone = [...leftovers(record), ...waitingUpTo(record, version)]
  const remove = gone.filter((name) => !(name in set))
  return { kind: 'update', update: { key, where: unchanged(record), set, remove } }
}

function epochAfter(
  record: StageRecord | undefined,
  request: AnyStageRequest,
  begun: Pick<Begun, 'epoch'>,
): number {
  return Math.max(record?.epoch ?? request.first?.epoch ?? 0, begun.epoch) + 1
}

/** A later stage begins with the payload of its first claim, and keeps that. */
function withOwn(
  { payloads }: Pick<StageRun, 'payloads'>,
  { stage, laterPayload }: StageMessage,
): ReadonlyMap<string, string> {
  return laterPayload === undefined || payloads.has(stage)
    ? payloads
    : new Map(payloads).set(stage, laterPayload)
}

/** A first stage whose id was computed may go on with another payload. Its dead letter will have that one. */
function changedPayload(
  { payload: before }: StageRecord,
  { payload }: StageMessage,
): { readonly payload?: string } {
  return payload !== undefined && isOtherPayload(before, payload) ? { payload } : {}
}

/** The consumer of the run. A redriven dead letter of a later stage does not change it, because only first stages are compared. */
function byOf(request: AnyStageRequest): { readonly by?: string } {
  return 'by' in request && request.by !== undefined ? { by: request.by } : {}
}

/**
 * Attributes of the previous run to remove. Sets are removed by name, so marks added since the read go too; a stage claimed since
 * would have raised the fence, and this write would be refused.
 */
function leftovers({ run, payload, failures, forgets }: StageRecord): string[] {
  return [
    ...(forgets === true ? MEMORY : []),
    'ttl',
    // @protects a new run does not inherit the marks of effects
    'applied',
    'restored',
    'reopened',
    // The index has the time limit of the run before.
    ...INDEX_ATTRIBUTES,
    ...(payload === undefined ? [] : ['payload']),
    ...(failures === undefined ? [] : ['failures']),
    ...(run === undefined ? [] : stageAttributes(run)),
  ]
}

/** Each claim writes it: a deployment may have added the failure handler since the run began. */
function failuresOf({ failures }: StageMessage): { readonly failures?: string } {
  // @protects a run learns of a failure handler that was deployed while it runs
  // @without {} @tests test/claim/stage/endReport
  return failures === undefined ? {} : { failures }
}

function waitingUpTo({ waiting }: StageRecord, version: string): string[] {
  // @survives ConditionalExpression: undefined is neither smaller nor equal to any text, so nothing waits; the check is for the
  // types.
  return waiting !== undefined && waiting <= version ? ['waiting'] : []
}

/** Each start and each reset raises the epoch, and each claim raises the fence. */
function unchanged(record: StageRecord): Condition[] {
  // @protects a start replaces the record that was judged
  // @without []
  return [{ field: 'epoch', is: '=', value: record.epoch }, sameFence(record)]
}

function reopen(
  { record, deadRun }: Extract<ClaimVerdict, { kind: 'reopen' }>,
  request: AnyStageRequest,
  key: StoreKey,
): ClaimWrite {
  const stages = {
    ...Object.fromEntries(deadRun.stages),
    [request.stage]: opened(request, undefined),
  }
  const { continuable = Infinity } = deadRun
  const giveUpAt = Math.min(request.giveUpAt, continuable)
  const more = {
    // @protects a redriven run keeps the marks of its dead attempts
    // @without '[]'
    restored: JSON.stringify([...deadRun.marks]),
    reopened: true,
    giveUpAt,
    ...atLimit({ giveUpAt }, key),
    ...payloadsAsWritten(epochAfter(record, request, deadRun), withOwn(deadRun, request)),
    ...(deadRun.continuable === undefined ? {} : { continuable }),
    ...(deadRun.payload === undefined ? {} : { payload: deadRun.payload }),
  }
  return startRun(record, request, key, stages, { ...deadRun, more })
}

/** The text of the entry contains everything that was judged: who has the stage, until when, and the number of attempts. */
function claimStage(
  record: StageRecord,
  request: StageMessage,
  change: (entry: StageEntry | undefined) => StageEntry,
  more: (run: StageRun, key: StoreKey) => Begun['more'] = () => ({}),
): ClaimWrite {
  const run = running(record)
  const field = STAGE + request.stage
  const entry = run.stages.get(request.stage)
  const asJudged: Condition =
    entry === undefined ? { absent: field } : { field, is: '=', value: writeEntry(entry) }
  const update = {
    key: record.key,
    where: [
      ...sameRun(record, run),
      sameFence(record),
      // @protects a claim replaces the entry that was judged
      asJudged,
    ],
    set: {
      // @protects each claim of a stage raises the fence
      // @without its left
      fence: record.fence + 1,
      [field]: writeEntry(change(entry)),
      ...(run.payloads.has(request.stage)
        ? {}
        : payloadsAsWritten(record.epoch, withOwn({ payloads: new Map() }, request))),
      ...changedPayload(record, request),
      ...more(run, record.key),
      ...failuresOf(request),
    },
  }
  return { kind: 'update', update }
}

export function running(record: StageRecord): StageRun {
  if (record.run === undefined) throw new Error(`${record.key.pk} is idle: no attempt can hold it`)
  return record.run
}
