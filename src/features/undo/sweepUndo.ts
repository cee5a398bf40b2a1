import { attempt, decideAndWrite, done, look } from '../../claim/decideAndWrite.ts'
import { type ItemStore, itemStore } from '../../claim/itemStore.ts'
import { hasToUndo, mayAbandon } from '../../claim/stage/decideConflict.ts'
import type { EndOptions } from '../../claim/stage/endRun.ts'
import { type EndingKind, readStageRecord, type StageRun } from '../../claim/stage/stageRecord.ts'
import { readToken } from '../../claim/token/token.ts'
import type { Messenger } from '../../send/messenger.ts'
import type { Item, Store } from '../../store/store.ts'
import {
  deadRecordOf,
  keptRecordKey,
  readKeptRecord,
  undoAsked,
} from '../../claim/token/deadRecord.ts'
import { recordUndoMessage } from './keptPayload.ts'
import { readParkedUndo } from './parkDead.ts'
import { askForUndo, endUndoneRun } from './runEnder.ts'

interface Sweeping {
  readonly store: Store
  readonly messenger: Messenger
  readonly now: number
  readonly retention: number
}

/**
 * Ends a run whose effects have to be undone, if it is being ended or is out of time: its ender may have been killed after any of
 * its writes.
 * @returns how it was ended. undefined: it is not to be ended, or it has made no effects
 */
export async function endUndoableRun(
  first: Item,
  { store, messenger, now, retention }: Sweeping,
): Promise<EndingKind | undefined> {
  const means = { store: itemStore(store), messenger }
  let ended: EndingKind | undefined
  return decideAndWrite<Item | undefined, EndingKind | undefined>(
    first,
    (item) => {
      const record = item && readStageRecord(item)
      const as = record?.run && endingOf(record.run, { now, retention })
      if (record === undefined || as === undefined) return done(ended)
      return attempt(async () => {
        const error = await endUndoneRun(means, record, as, { now, retention })
        if (error !== undefined) throw error
        ended = as
        return look(await readItem(means.store, record.key))
      })
    },
    () => undefined,
  )
}

function endingOf(run: StageRun, { now }: EndOptions): EndingKind | undefined {
  if (run.ending !== undefined) return run.ending.as
  return hasToUndo(run) &&
    // @protects the sweeper does not end a run that has time left
    mayAbandon(run, now)
    ? 'abandoned'
    : undefined
}

async function readItem(
  store: ItemStore,
  key: Parameters<ItemStore['read']>[0],
): Promise<Item | undefined> {
  const read = await store.read(key)
  if (read.kind === 'failed') throw read.error
  return read.item
}

/**
 * Asks for the undo of an ended run whose first message was not sent, or may have been lost with its queue. A second copy does
 * nothing.
 * @returns false: nothing is left to undo
 */
export async function askUndoAgain(
  item: Item,
  { store, messenger, now }: Sweeping,
): Promise<boolean> {
  const parked = readParkedUndo(item)
  if (parked === undefined) throw new Error('written by a newer version, or by hand')
  if (parked.undo === 'undone') return false
  const error = await askForUndo({ store: itemStore(store), messenger }, parked, now)
  if (error !== undefined) throw error
  return true
}

/** The same for a single record. @returns false: what its undo needs is no longer kept, so that an operator has to make the changes */
export async function askForRecordUndo(
  item: Item,
  { store, messenger, now }: Pick<Sweeping, 'store' | 'messenger' | 'now'>,
): Promise<boolean> {
  const token = readToken(item)
  if (token === undefined) throw new Error('written by a newer version, or by hand')
  const items = itemStore(store)
  const kept = readKeptRecord(await readItem(items, keptRecordKey(token.pk)))
  if (kept === undefined) return false
  const message = recordUndoMessage(deadRecordOf(token), kept, now)
  const [refusal] = await messenger.send(kept.queue, [message])
  if (refusal !== undefined) throw refusal
  const outcome = await items.update(undoAsked(token, now))
  if (outcome.kind === 'failed') throw outcome.error
  return true
}
