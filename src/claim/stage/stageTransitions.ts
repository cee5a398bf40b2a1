import type { Death, WriteResult, DeathReport, OutsideCalls } from '../hold.ts'
import type { EndReason } from '../settlement.ts'
import type { EndOptions } from './endRun.ts'
import { holdStage, explainRefusedWrite, type HeldStage } from './heldStage.ts'
import { deadEntry, type StageEnding, settleStage, dyingEntry } from './endAttempt.ts'
import { isDeathReason, type DyingEntry } from './stageEntry.ts'
import { readStageRecord, type StageRecord, type StageRun } from './stageRecord.ts'
import { attempt, decideAndWrite, type Done, done, look, type Look } from '../decideAndWrite.ts'
import { writeEnding } from './writeEnding.ts'
import type { RunEnder } from './stageClaim.ts'
import type { StageVerdict } from './verdict.ts'
import type { ReadOutcome, Update, WriteOutcome } from '../../store/store.ts'
import { blockingRequestIn } from './decideConflict.ts'
import { endOf, endReasonOf } from './requestHistory.ts'
import type { ItemStore } from '../itemStore.ts'

export function settle(
  claimState: StageClaimState,
  ends: boolean,
  sentTo: readonly string[],
): Promise<WriteResult> {
  const decide = (closing: EndOptions): StageEnding =>
    settleStage(openIn(claimState), { ends, sentTo }, closing)
  return writeEndOfStage(claimState, decide, 'duplicate')
}

/** The last stage to end also ends the run. Which stage is the last may change until the write succeeds. */
function writeEndOfStage(
  claimState: StageClaimState,
  decide: (closing: EndOptions) => StageEnding,
  ended: EndReason,
): Promise<WriteResult> {
  return decideAndWrite<undefined, WriteResult>(
    undefined,
    () => {
      const ending = decide(claimState.closing(claimState.death))
      return attempt(() => writeOnce(claimState, ending, ended))
    },
    () => ({ kind: 'failed', error: new Error('other stages changed the record in each round') }),
  )
}

async function writeOnce(
  claimState: StageClaimState,
  stageEnding: StageEnding,
  ended: EndReason,
): Promise<Done<WriteResult> | Look<undefined>> {
  const isLast = stageEnding.kind === 'end'
  const update = isLast ? stageEnding.ending.reset : stageEnding.update
  const store = { ...claimState.store, update: claimState.commit }
  const outcome = await (isLast ? writeEnding(store, stageEnding.ending) : store.update(update))
  if (outcome.kind === 'failed') return done(outcome)
  if (outcome.kind === 'applied') {
    if (update.set?.['ending'] !== undefined) await endFenced(claimState)
    return done({ kind: 'written' })
  }
  const meaning = explainRefusedWrite(claimState.held, update, outcome.item)
  if (meaning.kind === 'written') return done({ kind: 'written' })
  if (meaning.kind === 'mine') {
    refresh(claimState, meaning.record)
    return look(undefined)
  }
  const result = explainLoss(claimState, { kind: 'found', item: outcome.item })
  // The answer to this very write was lost: the run has ended as intended.
  return done(result.kind === 'lost' && result.over === ended ? { kind: 'written' } : result)
}

/**
 * Once dead-lettering has started no effect can be recorded, so the record shows all effects to keep. If fewer were kept, a
 * redrive would repeat an effect.
 */
export async function finishStageDeath(claimState: StageClaimState): Promise<WriteResult> {
  const { record, stage, entry } = claimState.held
  const read = await claimState.store.read(record.key)
  if (read.kind === 'failed') return read
  const now = read.item && readStageRecord(read.item)
  const held = now && holdStage(now, stage, entry.attemptId)
  if (held?.entry.status !== 'dying') return explainLoss(claimState, read)
  claimState.held = { ...held, entry: held.entry }
  return writeEndOfStage(
    claimState,
    (closing) => deadEntry(dyingIn(claimState), closing),
    'alreadyDeadLettered',
  )
}

/** Ends the run that the last write has fenced. If it does not succeed, the next claim or the sweeper does it. */
async function endFenced({ store, held, ender, closing, death }: StageClaimState): Promise<void> {
  const read = await store.read(held.record.key)
  const record = read.kind === 'found' && read.item ? readStageRecord(read.item) : undefined
  const run = record?.run
  if (record === undefined || run?.ending === undefined) return
  if (run.uniqueRequestId !== held.run.uniqueRequestId) return
  await ender?.end(store, record, run.ending.as, closing(death))
}

export async function startStageDeath(
  claimState: StageClaimState,
  death: Death,
): Promise<WriteResult> {
  const held = openIn(claimState)
  // The table has no word of its own for `lost answer` and its like, because version 0.2 could not read it.
  const ofError = death.reason.startsWith('lost ') ? 'terminal' : 'exhausted'
  const reason = isDeathReason(death.reason) ? death.reason : ofError
  const left = await write(claimState, dyingEntry(held, reason))
  const { attemptId, attempt, leaseUntil } = held.entry
  claimState.held = { ...held, entry: { status: 'dying', attemptId, attempt, leaseUntil, reason } }
  claimState.death = death
  return left
}

export function deathReport(claimState: StageClaimState): DeathReport {
  const { record, entry } = dyingIn(claimState)
  const refusal = entry.reason === 'rejected' ? claimState.refusal : undefined
  const silent: Death = {
    reason: entry.reason,
    error: `the last of ${entry.attempt} attempts ended without an answer (killed or timed out)`,
  }
  return {
    ...(claimState.death ?? refusal ?? silent),
    attempts: entry.attempt,
    death: record.epoch,
  }
}

export interface StageClaimParts {
  readonly held: HeldStage | HeldStage<DyingEntry>
  /** No earlier attempt has had the stage in this run. */
  readonly first: boolean
  /** As in `Fencing`. */
  readonly isSurelyFirst: boolean
  readonly key: string
  readonly sentAt: number
  readonly store: ItemStore
  /** Makes the fenced writes of the end, in batches with those of other records. */
  commit(update: Update): Promise<WriteOutcome>
  /** What the message may do now, as if it had just arrived. */
  decide(record: StageRecord | undefined): StageVerdict
  closing(death?: Death): EndOptions
  /** See OutsideCalls. */
  readonly traces?: OutsideCalls['traces']
  /** See StageClaimRequest. */
  readonly ender?: RunEnder | undefined
  /** The cause of death for a request that never ran. */
  readonly refusal: Death
}

/** What an attempt knows about its claim. It changes with each write of the attempt. */
export interface StageClaimState extends StageClaimParts {
  held: HeldStage | HeldStage<DyingEntry>
  death: Death | undefined
  readonly sentTo: Set<string>
}

export function openIn({ held }: StageClaimState): HeldStage {
  const { entry } = held
  if (entry.status !== 'open') throw new Error('the stage is not open')
  return { ...held, entry }
}

function dyingIn({ held }: StageClaimState): HeldStage<DyingEntry> {
  const { entry } = held
  if (entry.status !== 'dying') throw new Error('the stage is not dying')
  return { ...held, entry }
}

function refresh(claimState: StageClaimState, record: StageRecord): void {
  if (record.run === undefined) return
  claimState.held = { ...claimState.held, record, run: record.run }
}

/** Makes one fenced write of the end. */
export async function write(claimState: StageClaimState, update: Update): Promise<WriteResult> {
  const outcome = await claimState.commit(update)
  if (outcome.kind === 'failed') return outcome
  if (outcome.kind === 'applied') return { kind: 'written' }
  const standing = explainRefusedWrite(claimState.held, update, outcome.item)
  return standing.kind === 'written'
    ? { kind: 'written' }
    : explainLoss(claimState, { kind: 'found', item: outcome.item })
}

/** Another attempt may have the stage, and may die: the message may be acknowledged only when its request has ended. */
export function explainLoss(claimState: StageClaimState, seen: ReadOutcome): WriteResult {
  if (seen.kind === 'failed') return seen
  const record = seen.item === undefined ? undefined : readStageRecord(seen.item)
  if (seen.item !== undefined && record === undefined) return { kind: 'lost', over: undefined }
  const verdict = claimState.decide(record)
  if (verdict.kind !== 'over')
    return { kind: 'lost', over: undefined, gone: seen.item === undefined }
  const { run } = claimState.held
  // The attempt had the claim, so the message was not stale when it arrived.
  const over = verdict.as === 'stale' ? endSince(record, run) : verdict.as
  return { kind: 'lost', over, by: blockingRequestIn(record, run, over) }
}

/** Its own handler may have reset the run, or its own write have completed it. */
function endSince(record: StageRecord | undefined, run: StageRun): EndReason {
  const end = record && endOf(record, { ...run, order: record.order }, undefined)
  return end === undefined ? 'superseded' : endReasonOf(end)
}
