import type { Update } from '../../store/store.ts'
import { type EndOptions, type RunEnding, endRun } from './endRun.ts'
import { type HeldStage, stageOwnedBy } from './heldStage.ts'
import { judgeRunProgress } from './runProgress.ts'
import { type DyingEntry, type SettledEntry, type StageEntry, writeEntry } from './stageEntry.ts'
import { STAGE } from './stageRecord.ts'

/** The last stage to end also ends the run; any other one ends alone. */
export type StageEnding =
  | { readonly kind: 'leave'; readonly update: Update }
  | { readonly kind: 'end'; readonly ending: RunEnding }

/** After the last effect and after the hand-over. */
export function settleStage(
  held: HeldStage,
  settled: Omit<SettledEntry, 'status'>,
  closing: EndOptions,
): StageEnding {
  return endStage(held, { status: 'settled', ...settled }, closing)
}

/** After the dead letter was accepted. */
export function finishDeadLettering(held: HeldStage<DyingEntry>, closing: EndOptions): StageEnding {
  const { record, entry } = held
  return endStage(held, { status: 'dead', epoch: record.epoch, reason: entry.reason }, closing)
}

/**
 * A stage that ends in an open run makes sure that the run is still open: two that end together would each take the other for the last.
 */
function endStage(held: HeldStage<StageEntry>, end: StageEntry, closing: EndOptions): StageEnding {
  const { record, run, stage } = held
  const stages = new Map(run.stages).set(stage, end)
  const join = judgeRunProgress(record, stages)
  if (join.kind === 'open') {
    const where = [...stageOwnedBy(held), join.because]
    const update = { key: record.key, where, set: { [STAGE + stage]: writeEntry(end) } }
    return { kind: 'leave', update }
  }
  const as = join.kind === 'dead' ? 'dead' : 'completed'
  return { kind: 'end', ending: endRun(record, run, { as, stages }, closing, stageOwnedBy(held)) }
}
