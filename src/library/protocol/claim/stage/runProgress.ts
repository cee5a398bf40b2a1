import type { Condition } from '../../store/store.ts'
import { isAtEnd, type StageEntry, writeEntry } from './stageEntry.ts'
import { sameFence, STAGE, type StageRecord } from './stageRecord.ts'

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
