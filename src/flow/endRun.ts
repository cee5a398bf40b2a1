import type { RunEnding } from '../claim/stage/endRun.ts'
import type { WriteOutcome } from '../store/store.ts'
import type { StageStore } from './stageStore.ts'

/** In this order: the reset alone ends the run, so whatever has to be known later is written before it. */
export async function writeEnding(store: StageStore, ending: RunEnding): Promise<WriteOutcome> {
  const before =
    ending.deadRun === undefined ? ending.remember : [...ending.remember, ending.deadRun]
  const kept = await Promise.all(before.map((each) => store.upsert(each)))
  const failed = kept.find(({ kind }) => kind === 'failed')
  if (failed !== undefined) return failed
  const reset = await store.update(ending.reset)
  if (reset.kind === 'applied' && ending.tidy !== undefined) await store.update(ending.tidy)
  return reset
}
