import { outcomeOrThrow, type Store, type Update } from '../../store/store.ts'
import { loadPauses } from './listPauses.ts'
import {
  beginResume,
  confirmPause,
  endPause,
  type Pause,
  replacePause,
  writePause,
} from './pauseRow.ts'
import { isRefused, type Switching, switchMapping } from './switchMapping.ts'

type Pausing = Switching & { readonly store: Store }

/** `gone`: the mapping was deleted. `changed`: another operator has changed the pause meanwhile; theirs stands. */
export type PauseOutcome = 'done' | 'gone' | 'changed'

/**
 * Writes the row, then disables the mapping, then confirms the row. Killed in between, the row is `pausing`: `status` shows it, and
 * to pause again or to resume finishes it.
 * @param pause a new pause, `pausing`
 * @param seen the pause that it replaces
 * @throws what the table and Lambda throw. If Lambda has refused, the row is taken back.
 */
export async function applyPause(
  pause: Pause,
  seen: Pause | undefined,
  pausing: Pausing,
): Promise<PauseOutcome> {
  const { store, clock } = pausing
  if (!(await begin(pause, seen, store))) return 'changed'
  const switched = await switchMapping(pause.mapping, 'disabled', pausing).catch(
    async (error: unknown) => {
      // Only a pause that was new: under one that is replaced the mapping is disabled.
      if (seen === undefined && isRefused(error)) {
        await write(store, endPause(pause, pause.by, clock.now())).catch(() => false)
      }
      throw error
    },
  )
  if (switched === 'gone') {
    await write(store, endPause(pause, pause.by, clock.now()))
    return 'gone'
  }
  if (await write(store, confirmPause(pause))) return 'done'
  return giveWay(pause, pausing)
}

async function begin(pause: Pause, seen: Pause | undefined, store: Store): Promise<boolean> {
  if (seen === undefined) {
    const created = outcomeOrThrow(await store.create([writePause(pause)]))
    // After a lost answer the store has tried again, and was refused by its own item.
    if (created.kind === 'applied' || created.item?.['id'] === pause.id) return true
  }
  return write(store, replacePause(pause, seen))
}

/**
 * Marks the row, then enables the mapping, then ends the row. Killed in between, the row is `resuming`, and due: the sweeper or the
 * same command finishes it.
 * @throws what the table and Lambda throw
 */
export async function applyResume(
  pause: Pause,
  by: string,
  pausing: Pausing,
): Promise<PauseOutcome> {
  const { store, clock } = pausing
  const begun = pause.state === 'resuming' || (await write(store, beginResume(pause, clock.now())))
  if (!begun) return 'changed'
  const switched = await switchMapping(pause.mapping, 'enabled', pausing)
  const ended = await write(store, endPause({ ...pause, state: 'resuming' }, by, clock.now()))
  if (!ended) return giveWay(pause, pausing)
  return switched === 'gone' ? 'gone' : 'done'
}

/**
 * The row was changed while Lambda was called, so the call may have undone the work of another operator. The mapping is switched to
 * what the row says now.
 */
async function giveWay({ mapping }: Pause, pausing: Pausing): Promise<'changed'> {
  const [now] = await loadPauses(pausing.store, [mapping])
  const state = now?.pause?.state ?? 'resuming'
  const to = state === 'resuming' ? 'enabled' : 'disabled'
  await switchMapping(mapping, to, pausing)
  return 'changed'
}

/** @returns also true when the item shows the write: its answer was lost, and the store has tried it again */
async function write(store: Store, update: Update): Promise<boolean> {
  const { kind, item } = outcomeOrThrow(await store.update([update]))
  const set = Object.entries(update.set ?? {})
  return (
    kind === 'applied' || (item !== undefined && set.every(([name, value]) => item[name] === value))
  )
}
