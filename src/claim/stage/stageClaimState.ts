import type { Death, OutsideCalls, WriteResult } from '../hold.ts'
import type { EndOptions } from './endRun.ts'
import { type HeldStage, explainRefusedWrite } from './heldStage.ts'
import type { DyingEntry } from './stageEntry.ts'
import { readStageRecord, type StageRecord } from './stageRecord.ts'
import type { RunEnder } from './stageClaim.ts'
import type { StageVerdict } from './verdict.ts'
import type { ReadOutcome, Update, WriteOutcome } from '../../store/store.ts'
import { blockingRequestIn } from './blockingRequest.ts'
import type { ItemStore } from '../itemStore.ts'

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

export function dyingIn({ held }: StageClaimState): HeldStage<DyingEntry> {
  const { entry } = held
  if (entry.status !== 'dying') throw new Error('the stage is not dying')
  return { ...held, entry }
}

export function refresh(claimState: StageClaimState, record: StageRecord): void {
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
  // The attempt had the claim, so the message was not stale when it arrived.
  const over = verdict.as === 'stale' ? 'superseded' : verdict.as
  return { kind: 'lost', over, by: blockingRequestIn(record, claimState.held.run, over) }
}
