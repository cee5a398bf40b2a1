import type { Condition, Update } from '../../store/store.ts'
import { mayAbandon } from './decideConflict.ts'
import { type EndOptions, type RunEnding, endRun } from './endRun.ts'
import { stagesAsWritten } from './deadRun.ts'
import { judgeRunProgress } from './runProgress.ts'
import { isAtEnd, type StageEntry, writeEntry } from './stageEntry.ts'
import { type StageRun, sameFence, sameRun, STAGE, type StageRecord } from './stageRecord.ts'

export type AbandonDecision =
  /** Nothing to abandon: the flow is idle, its run has time left, or an attempt may still be running. */
  | { readonly kind: 'keep' }
  /** Fences the attempts that may still be running. Decide again on the record as this write leaves it. */
  | { readonly kind: 'abandon'; readonly update: Update }
  | { readonly kind: 'end'; readonly ending: RunEnding }

/** Called by the sweeper, and for a request that finds its key held by a run whose messages are gone. */
export function decideAbandon(record: StageRecord, closing: EndOptions): AbandonDecision {
  const { run } = record
  if (run === undefined) return { kind: 'keep' }
  // @protects a run that has time left, or an attempt that may run, is kept
  if (!mayAbandon(run, closing.now)) return { kind: 'keep' }
  const { stages } = run
  const unfinished = [...stages].filter(([, entry]) => !isAtEnd(entry))
  if (unfinished.length > 0) {
    return { kind: 'abandon', update: abandon(record, run, unfinished) }
  }
  const as = judgeRunProgress(record, stages).kind === 'complete' ? 'completed' : 'dead'
  return { kind: 'end', ending: endRun(record, run, { as, stages }, closing) }
}

/**
 * A separate write before the end: until it takes effect attempts may record effects, and those are kept. A slow attempt may also
 * settle its stage until then, which does not raise the fence: so the write is conditional on exactly the record that was judged.
 */
function abandon(
  record: StageRecord,
  run: StageRun,
  unfinished: readonly (readonly [string, StageEntry])[],
): Update {
  const asJudged = unfinished.map(([name, entry]): Condition => ({
    field: STAGE + name,
    is: '=',
    value: writeEntry(entry),
  }))
  const dead: StageEntry = { status: 'dead', epoch: record.epoch, reason: 'abandoned' }
  return {
    key: record.key,
    where: [
      ...sameRun(record, run),
      sameFence(record),
      // @protects a stage that has settled meanwhile is not given up
      ...asJudged,
    ],
    set: {
      fence: record.fence + 1,
      ...stagesAsWritten(new Map(unfinished.map(([name]) => [name, dead]))),
    },
  }
}

/**
 * `ctx.reset()` and operators may reset at any time; running attempts then become stale.
 * @returns undefined when the flow is idle
 */
export function resetFromOutside(record: StageRecord, closing: EndOptions): RunEnding | undefined {
  const { run } = record
  if (run === undefined) return undefined
  return endRun(record, run, { as: 'reset', stages: run.stages }, closing)
}
