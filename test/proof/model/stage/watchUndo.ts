import type { StageRecord } from '../../../../src/claim/stage/stageRecord.ts'
import { broken, factOf, type Facts, note } from './facts.ts'
import type { Scenario } from './scenario.ts'
import type { Worker } from './state.ts'

/** An effect is undone: once, after its run is fenced for good, and after those of the later stages. */
export function watchUndo(
  { undo }: Scenario,
  facts: Facts,
  record: StageRecord | undefined,
  { job: { uid } }: Worker,
  mark: string,
): Facts {
  const { done, undone, end } = factOf(facts, uid)
  const next = note(facts, uid, { undone: [...undone, mark].toSorted() })
  if (undone.includes(mark)) return broken(next, `U2 undone twice: ${uid} ${mark}`)
  if (end === 'completed') return broken(next, `U3 completed, and undone: ${uid} ${mark}`)
  const isFenced = record?.run?.uniqueRequestId === uid && record.run.ending !== undefined
  if (!isFenced && end !== 'undone' && end !== 'reset' && end !== 'dead')
    return broken(next, `U4 undone while it runs: ${uid} ${mark}`)
  if (mark.includes(':') && !done.includes(mark))
    return broken(next, `U6 undone, though it was never made: ${uid} ${mark}`)
  const place = (one: string): number => undo.indexOf(one.slice(0, one.search(/[:?]/)))
  const later = done.find((one) => place(one) > place(mark) && !undone.includes(one))
  return later === undefined ? next : broken(next, `U5 undone before ${later}: ${uid} ${mark}`)
}

/** An effect, or an outside call within the lease of its attempt, after it was undone. */
export function watchLate(facts: Facts, { job: { uid } }: Worker, mark: string): Facts {
  return factOf(facts, uid).undone.includes(mark)
    ? broken(facts, `U7 made after it was undone: ${uid} ${mark}`)
    : facts
}
