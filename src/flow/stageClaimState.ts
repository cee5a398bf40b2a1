import type { Death, Left } from '../claim/hold.ts'
import type { Closing } from '../claim/stage/endRun.ts'
import { type Held, judgeStanding } from '../claim/stage/heldStage.ts'
import type { DyingEntry } from '../claim/stage/stageEntry.ts'
import { readStageRecord, type StageRecord } from '../claim/stage/stageRecord.ts'
import type { Verdict } from '../claim/stage/verdict.ts'
import type { ReadOutcome, Update, WriteOutcome } from '../store/store.ts'
import { rivalIn } from './blockingRequest.ts'
import type { StageStore } from './stageStore.ts'

export interface GripParts {
  readonly held: Held | Held<DyingEntry>
  /** Nobody has had the stage before in this run. */
  readonly first: boolean
  readonly key: string
  readonly sentAt: number
  readonly store: StageStore
  /** Fenced writes of the end, gathered with those of other records. */
  commit(update: Update): Promise<WriteOutcome>
  /** What the message may do now, as if it had just come. */
  decide(record: StageRecord | undefined): Verdict
  closing(error?: string): Closing
  /** Why it is buried when it never ran. */
  readonly refusal: Death
}

/** What an attempt knows of its claim; it changes with each write of its own. */
export interface Grip extends GripParts {
  held: Held | Held<DyingEntry>
  error: string | undefined
  reason: string | undefined
  readonly passedTo: Set<string>
}

export function openIn({ held }: Grip): Held {
  const { entry } = held
  if (entry.status !== 'open') throw new Error('the stage is not open')
  return { ...held, entry }
}

export function dyingIn({ held }: Grip): Held<DyingEntry> {
  const { entry } = held
  if (entry.status !== 'dying') throw new Error('the stage is not dying')
  return { ...held, entry }
}

export function refresh(grip: Grip, record: StageRecord): void {
  if (record.run === undefined) return
  grip.held = { ...grip.held, record, run: record.run }
}

/** One fenced write of the end. */
export async function write(grip: Grip, update: Update): Promise<Left> {
  const outcome = await grip.commit(update)
  if (outcome.kind === 'failed') return outcome
  if (outcome.kind === 'applied') return { kind: 'written' }
  const standing = judgeStanding(grip.held, update, outcome.item)
  return standing.kind === 'landed'
    ? { kind: 'written' }
    : lostBy(grip, { kind: 'found', item: outcome.item })
}

/** Another attempt may have the stage, and may die: only the flow itself can end this message. */
export function lostBy(grip: Grip, seen: ReadOutcome): Left {
  if (seen.kind === 'failed') return seen
  const record = seen.item === undefined ? undefined : readStageRecord(seen.item)
  if (seen.item !== undefined && record === undefined) return { kind: 'lost', over: undefined }
  const verdict = grip.decide(record)
  if (verdict.kind !== 'over') return { kind: 'lost', over: undefined }
  // It had the claim, so it was not stale when it came.
  const over = verdict.as === 'stale' ? 'superseded' : verdict.as
  return { kind: 'lost', over, by: rivalIn(record, grip.held.run, over) }
}
