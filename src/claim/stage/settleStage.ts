import type { Update } from '../../store/store.ts'
import { type EndOptions, type RunEnding, endRun } from './endRun.ts'
import { type HeldStage, stageOwnedBy } from './heldStage.ts'
import { judgeRunProgress } from './runProgress.ts'
import { type DyingEntry, type SettledEntry, type StageEntry, writeEntry } from './stageEntry.ts'
import { STAGE } from './stageRecord.ts'

/** The last stage to end also ends the run. Every other stage ends without ending it. */
export type StageEnding =
  | { readonly kind: 'leave'; readonly update: Update }
  | { readonly kind: 'end'; readonly ending: RunEnding }

/** Called after the last effect, and after all messages are sent. */
export function settleStage(
  held: HeldStage,
  settled: Omit<SettledEntry, 'status'>,
  closing: EndOptions,
): StageEnding {
  return endStage(held, { status: 'settled', ...settled }, closing)
}

/** Called after the queue has accepted the dead letter. */
export function finishDeadLettering(held: HeldStage<DyingEntry>, closing: EndOptions): StageEnding {
  const { record, entry } = held
  return endStage(held, { status: 'dead', epoch: record.epoch, reason: entry.reason }, closing)
}

/**
 * A stage that ends without ending the run makes this conditional on the run still being open: otherwise two stages that end at
 * the same time would each leave the end of the run to the other.
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
