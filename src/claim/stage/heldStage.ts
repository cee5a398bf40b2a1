import type { Condition, Item, Update } from '../../store/store.ts'
import { type DyingEntry, type OpenEntry, type StageEntry, writeEntry } from './stageEntry.ts'
import { readStageRecord, type StageRun, sameRun, STAGE, type StageRecord } from './stageRecord.ts'

/** A claimed stage: the record as it was last seen, and this attempt's entry in it. */
export interface HeldStage<E extends StageEntry = OpenEntry> {
  readonly record: StageRecord
  readonly run: StageRun
  readonly stage: string
  readonly entry: E
}

/** @returns undefined when the record does not show the stage as held by `attemptId`. */
export function holdStage(
  record: StageRecord,
  stage: string,
  attemptId: string,
): HeldStage<OpenEntry | DyingEntry> | undefined {
  const { run } = record
  const entry = run?.stages.get(stage)
  if (run === undefined || entry === undefined) return undefined
  if (entry.status !== 'open' && entry.status !== 'dying') return undefined
  return entry.attemptId === attemptId ? { record, run, stage, entry } : undefined
}

/** The fence: every write after the claim requires that this attempt still has the stage, in this run. */
export function stageOwnedBy({ record, run, stage, entry }: HeldStage<StageEntry>): Condition[] {
  return [...sameRun(record, run), { field: STAGE + stage, is: '=', value: writeEntry(entry) }]
}

/** Why a write of the attempt was refused. */
export type RefusedWriteMeaning =
  /** The item holds all of the write: it had been made, and its answer was lost. */
  | { readonly kind: 'written' }
  /** The attempt still has the stage, but something else that the write depends on has changed. Decide again on this record. */
  | { readonly kind: 'mine'; readonly record: StageRecord }
  /**
   * Another attempt has the stage, or the run has ended. Decide again as for a message that has just arrived, but claim nothing:
   * acknowledge the message only if the verdict is `over`, `replaced` or `orphan`, because the other attempt may die.
   */
  | { readonly kind: 'gone'; readonly record: StageRecord | undefined }
  | { readonly kind: 'unreadable' }

export function explainRefusedWrite(
  held: HeldStage<StageEntry>,
  update: Update,
  item: Item | undefined,
): RefusedWriteMeaning {
  if (item === undefined) return { kind: 'gone', record: undefined }
  const record = readStageRecord(item)
  if (record === undefined) return { kind: 'unreadable' }
  const same = record.run?.uniqueRequestId === held.run.uniqueRequestId
  if (!same || record.epoch !== held.record.epoch) return { kind: 'gone', record }
  const entry = record.run.stages.get(held.stage)
  const mine = entry !== undefined && writeEntry(entry) === writeEntry(held.entry)
  if (hasAll(item, update, mine)) return { kind: 'written' }
  return mine ? { kind: 'mine', record } : { kind: 'gone', record }
}

/** A mark proves nothing to an attempt that has lost its claim, because another attempt may have set it. */
function hasAll(item: Item, { set = {}, remove = [], addTo }: Update, mine: boolean): boolean {
  const marks = addTo === undefined ? undefined : item[addTo.field]
  return (
    Object.entries(set).every(([name, value]) => item[name] === value) &&
    remove.every((name) => item[name] === undefined) &&
    (addTo === undefined || (mine && marks instanceof Set && marks.has(addTo.member)))
  )
}
