import type { Condition, Update } from '../../store/store.ts'
import { mayAbandon } from './decideConflict.ts'
import { type EndOptions, type RunEnding, endRun } from './endRun.ts'
import { stagesAsWritten } from './deadRun.ts'
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

/** Whether a run has ended. `because`: the condition that keeps it open. As long as it holds, another stage will end the run. */
type RunProgress =
  | { readonly kind: 'open'; readonly because: Condition }
  | { readonly kind: 'complete' }
  | { readonly kind: 'dead' }

/**
 * A run ends when every claimed stage has ended, every stage to which a settled one sent a message has ended, and one of them
 * ends the flow or has died.
 */
export function judgeRunProgress(
  record: StageRecord,
  stages: ReadonlyMap<string, StageEntry>,
): RunProgress {
  const entries = [...stages.values()]
  const expected = entries.flatMap((entry) => (entry.status === 'settled' ? entry.sentTo : []))
  const open = [
    ...stages.keys(),
    // @protects a run lasts until all stages that were sent a message have ended
    ...expected,
  ].find((name) => !isAtEnd(stages.get(name)))
  if (open !== undefined) return { kind: 'open', because: asSeen(open, stages.get(open)) }
  // @protects a run with a dead stage ends as dead
  if (entries.some(({ status }) => status === 'dead')) return { kind: 'dead' }
  // @survives ConditionalExpression: only a settled entry has `ends`; the check is for the types.
  const ends = entries.some((entry) => entry.status === 'settled' && entry.ends)
  return ends ? { kind: 'complete' } : { kind: 'open', because: sameFence(record) }
}

function asSeen(name: string, entry: StageEntry | undefined): Condition {
  const field = STAGE + name
  return entry === undefined ? { absent: field } : { field, is: '=', value: writeEntry(entry) }
}
