import { StoreUnavailableError } from '../../base/errors.ts'
import { resetFromOutside } from '../../protocol/claim/stage/abandonRun.ts'
import {
  readStageRecord,
  recordKey,
  type StageRecord,
} from '../../protocol/claim/stage/stageRecord.ts'
import { writeEnding } from '../../protocol/claim/stage/writeEnding.ts'
import { attempt, decideAndWrite, done, look } from '../../protocol/claim/decideAndWrite.ts'
import { type ReadOutcome, hasNoAnswer } from '../../protocol/store/store.ts'
import { assertKey } from './assertDefined.ts'
import type { FlowDefinition } from './flowDefinition.ts'
import { storedKey } from './messagePosition.ts'
import type { ItemStore } from '../../protocol/claim/itemStore.ts'

/** Names the run to end. A later run of the key is left alone. */
export interface Only {
  readonly epoch: number
  /** @throws SupersededError when another attempt has the stage */
  assertMine(record: StageRecord): void
}

/** Ends the run that has the key, if there is one. Its messages that are still on their way are then stale. */
export async function reset(
  flow: FlowDefinition,
  store: ItemStore,
  key: string,
  now: number,
  only?: Only,
): Promise<void> {
  assertKey(flow, key)
  const { retention } = flow
  const at = recordKey(flow.name, storedKey(key))
  await decideAndWrite<ReadOutcome, void>(
    await store.read(at),
    (read) => {
      if (hasNoAnswer(read)) throw read.error
      if (read.item === undefined) return done(undefined)
      const record = readStageRecord(read.item)
      if (record === undefined) throw unreadable(key)
      if (only !== undefined && record.epoch !== only.epoch) return done(undefined)
      // @protects an attempt that has lost its stage resets nothing
      only?.assertMine(record)
      const ending = resetFromOutside(record, { retention, now })
      if (ending === undefined) return done(undefined)
      return attempt(async () => {
        const outcome = await writeEnding(store, ending)
        if (hasNoAnswer(outcome)) throw outcome.error
        return outcome.kind === 'applied' ? done(undefined) : look(await store.read(at))
      })
    },
    () => {
      throw new StoreUnavailableError(
        `the stage record of '${key}' was changed by others in each round: not reset`,
      )
    },
  )
}

function unreadable(key: string): StoreUnavailableError {
  return new StoreUnavailableError(
    `the stage record of '${key}' was written by a newer version, or by hand: nothing was reset`,
  )
}
