import { writeEnding } from '../../claim/stage/writeEnding.ts'
import type { ItemStore } from '../../claim/itemStore.ts'
import type { EndOptions } from '../../claim/stage/endRun.ts'
import type { RunEnder } from '../../claim/stage/stageClaim.ts'
import type { EndingKind, StageRecord } from '../../claim/stage/stageRecord.ts'
import type { Messenger } from '../../send/messenger.ts'
import { decideEnding } from './decideEnding.ts'
import { confirmSent, firstUndo, type ParkedUndo, readParkedUndo } from './parkDead.ts'

/** Ends runs for consumers: fence, keep, reset, one write at a time; then it asks for the undo. */
export function runEnder(messenger: Messenger): RunEnder {
  return {
    end: (store, record, as, closing) => endUndoneRun({ store, messenger }, record, as, closing),
  }
}

interface Means {
  readonly store: ItemStore
  readonly messenger: Messenger
}

/** @returns the error, when the store gave no answer. In every other case: read the record again */
export async function endUndoneRun(
  means: Means,
  record: StageRecord,
  as: EndingKind,
  closing: EndOptions,
): Promise<Error | undefined> {
  const { store } = means
  const decision = decideEnding(record, as, closing)
  if (decision.kind === 'keep') return undefined
  if (decision.kind === 'fence') return errorOf(await store.update(decision.update))
  const outcome = await writeEnding(store, decision.ending)
  if (outcome.kind !== 'applied') return errorOf(outcome)
  const parked = readParkedUndo(decision.ending.deadRun?.create)
  // If it is not sent, or not confirmed, the sweeper sends it.
  if (parked !== undefined) await askForUndo(means, parked, closing.now)
  return undefined
}

/** @returns why the queue did not take the message */
export async function askForUndo(
  { store, messenger }: Means,
  parked: ParkedUndo,
  now: number,
): Promise<Error | undefined> {
  const first = parked.undo === 'undone' ? undefined : firstUndo(parked, now)
  if (first === undefined) return undefined
  const [refusal] = await messenger.send(first.queueUrl, [first.message])
  return refusal ?? errorOf(await store.update(confirmSent(parked, now)))
}

function errorOf(outcome: Awaited<ReturnType<ItemStore['update']>>): Error | undefined {
  return outcome.kind === 'failed' ? outcome.error : undefined
}
