import { StoreUnavailableError } from '../errors.ts'
import { resetFromOutside } from '../claim/stage/abandonRun.ts'
import { readStageRecord, recordKey, type StageRecord } from '../claim/stage/stageRecord.ts'
import { writeEnding } from './endRun.ts'
import { assertKey } from './assertDefined.ts'
import type { FlowDefinition } from './flowDefinition.ts'
import { storedKey } from './messagePosition.ts'
import type { StageStore } from './stageStore.ts'

const ROUNDS = 8

/** The run that is meant: a later one is left alone. */
export interface Only {
  readonly epoch: number
  /** @throws SupersededError when the stage is another attempt's by now */
  assertMine(record: StageRecord): void
}

/**
 * Ends the run that has the key, if there is one: whatever of it is still on its way finds itself stale.
 */
export async function reset(
  flow: FlowDefinition,
  store: StageStore,
  key: string,
  now: number,
  only?: Only,
): Promise<void> {
  assertKey(flow, key)
  const { retention } = flow
  const at = recordKey(flow.name, storedKey(key))
  for (let round = 0; round < ROUNDS; round++) {
    const read = await store.read(at)
    if (read.kind === 'failed') throw read.error
    if (read.item === undefined) return
    const record = readStageRecord(read.item)
    if (record === undefined) throw unreadable(key)
    if (only !== undefined && record.epoch !== only.epoch) return
    only?.assertMine(record)
    const ending = resetFromOutside(record, { retention, now })
    if (ending === undefined) return
    const outcome = await writeEnding(store, ending)
    if (outcome.kind === 'failed') throw outcome.error
    if (outcome.kind === 'applied') return
  }
  throw new StoreUnavailableError(`the stage record of '${key}' changes all the time: not reset`)
}

function unreadable(key: string): StoreUnavailableError {
  return new StoreUnavailableError(
    `the stage record of '${key}' was written by a newer version, or by hand: nothing was reset`,
  )
}
