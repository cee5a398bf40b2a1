import type { Condition, Update } from '../../store/store.ts'
import { indexed } from '../statusIndex.ts'
import { writeEntry } from './stageEntry.ts'
import { sameFence, sameRun, STAGE, type StageRecord, type StageRun } from './stageRecord.ts'

/**
 * Enters a run into the status index, or moves it there. A run that is stalled is listed at the time since when it should have
 * continued, so that it is overdue there; one that continues, or is out of time, at its time limit. Decisions do not read this
 * time, so a message that is delivered again runs as it would have.
 * @param stages that were judged: their entries must be unchanged
 * @param from its time in the index. undefined: it is not listed
 */
export function moveInIndex(
  record: StageRecord,
  run: StageRun,
  stages: readonly string[],
  { from, to }: { readonly from: number | undefined; readonly to: number },
): Update {
  const asJudged = stages.flatMap((name): readonly Condition[] => {
    const entry = run.stages.get(name)
    return entry === undefined ? [] : [{ field: STAGE + name, is: '=', value: writeEntry(entry) }]
  })
  const asListed: Condition =
    from === undefined ? { absent: 'statusShard' } : { field: 'dueAt', is: '=', value: from }
  return {
    key: record.key,
    where: [...sameRun(record, run), sameFence(record), ...asJudged, asListed],
    set: indexed(record.key.pk, 'running', to),
    needsNoItem: true,
  }
}
