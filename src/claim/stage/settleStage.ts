import type { Update } from '../../store/store.ts'
import { type Closing, type Ending, endRun } from './endRun.ts'
import { type Held, whileHeld } from './heldStage.ts'
import { judgeJoin } from './join.ts'
import { type DyingEntry, type SettledEntry, type StageEntry, writeEntry } from './stageEntry.ts'
import { STAGE } from './stageRecord.ts'

/** The last one out ends the run; everybody else only leaves. */
export type Leaving =
  | { readonly kind: 'leave'; readonly update: Update }
  | { readonly kind: 'end'; readonly ending: Ending }

/** After the last effect and after the hand-over. */
export function settleStage(
  held: Held,
  settled: Omit<SettledEntry, 'status'>,
  closing: Closing,
): Leaving {
  return leaveStage(held, { status: 'settled', ...settled }, closing)
}

/** After the dead letter was accepted. */
export function buryStage(held: Held<DyingEntry>, closing: Closing): Leaving {
  const { record, entry } = held
  return leaveStage(held, { status: 'dead', epoch: record.epoch, reason: entry.reason }, closing)
}

/**
 * Who leaves an open run makes sure that it is still open: two that leave together would each take the other for the last.
 */
function leaveStage(held: Held<StageEntry>, end: StageEntry, closing: Closing): Leaving {
  const { record, run, stage } = held
  const stages = new Map(run.stages).set(stage, end)
  const join = judgeJoin(record, stages)
  if (join.kind === 'open') {
    const where = [...whileHeld(held), join.because]
    const update = { key: record.key, where, set: { [STAGE + stage]: writeEntry(end) } }
    return { kind: 'leave', update }
  }
  const as = join.kind === 'dead' ? 'dead' : 'completed'
  return { kind: 'end', ending: endRun(record, run, { as, stages }, closing, whileHeld(held)) }
}
