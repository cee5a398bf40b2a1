import type { Condition } from '../../store/store.ts'
import { type OpenEntry, type StageEntry, writeEntry } from './stageEntry.ts'
import { sameRun, STAGE, type StageRecord, type StageRun } from './stageRecord.ts'

/** A claimed stage: the record as it was last seen, and this attempt's entry in it. */
export interface HeldStage<E extends StageEntry = OpenEntry> {
  readonly record: StageRecord
  readonly run: StageRun
  readonly stage: string
  readonly entry: E
}

/**
 * The condition of every write after the claim: this attempt still has the stage, in this run. Each claim writes another text of
 * the entry, with its `attemptId`.
 */
export function stageOwnedBy({ record, run, stage, entry }: HeldStage<StageEntry>): Condition[] {
  // @protects every write of an attempt requires that it still has the stage
  // @without sameRun(record, run)
  return [...sameRun(record, run), { field: STAGE + stage, is: '=', value: writeEntry(entry) }]
}
