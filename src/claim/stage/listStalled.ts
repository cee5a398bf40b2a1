import type { Condition, Update } from '../../store/store.ts'
import { writeEntry } from './stageEntry.ts'
import { sameFence, sameRun, STAGE, type StageRecord, type StageRun } from './stageRecord.ts'

/**
 * A run is in the status index at its time limit. A stalled run is moved to the time since when it should have continued, so that it
 * is overdue there, and back when it continues. Decisions do not read this time, so a message that comes back runs as it would have.
 * @param stages that were judged: their entries must be unchanged
 */
export function moveInIndex(
  record: StageRecord,
  run: StageRun,
  stages: readonly string[],
  { from, to }: { readonly from: number; readonly to: number },
): Update {
  const asJudged = stages.flatMap((name): readonly Condition[] => {
    const entry = run.stages.get(name)
    return entry === undefined ? [] : [{ field: STAGE + name, is: '=', value: writeEntry(entry) }]
  })
  return {
    key: record.key,
    where: [
      ...sameRun(record, run),
      sameFence(record),
      ...asJudged,
      { field: 'dueAt', is: '=', value: from },
    ],
    set: { dueAt: to },
  }
}
