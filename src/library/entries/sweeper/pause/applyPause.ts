// @acts

import { outcomeOrThrow, type Store, type Update } from '../../../protocol/store/store.ts'
import { loadPauses } from './listPauses.ts'
import {
  beginResume,
  confirmPause,
  endPause,
  type Pause,
  replacePause,
  writePause,
} from './pauseRow.ts'
import type { Clock } from '../../../base/clock.ts'

type Pausing = Switching & { readonly store: Store }

/** `gone`: the mapping was deleted. `changed`: another operator has changed the pause meanwhile, and that change is kept. */
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
  // @protects a pause that another operator has changed meanwhile is kept
  // @tests test/tools/cli/pause
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

interface Switching {
  readonly lambda: MappingSwitch
  readonly clock: Clock
  /** For how long a mapping that is busy is tried again, milliseconds. */
  readonly patience: number
}

const FIRST_WAIT = 500
const LONGEST_WAIT = 5_000

/**
 * Enables or disables a mapping. To do it twice changes nothing. While it is being created, updated, enabled or disabled Lambda
 * refuses with 409 (ResourceInUse), so it is tried again.
 * https://docs.aws.amazon.com/lambda/latest/api/API_UpdateEventSourceMapping.html
 * @returns `gone`: there is no such mapping any more
 * @throws what the client throws
 */
async function switchMapping(
  mapping: string,
  to: 'enabled' | 'disabled',
  { lambda, clock, patience }: Switching,
): Promise<'done' | 'gone'> {
  const end = clock.now() + patience
  for (let wait = FIRST_WAIT; ; wait = Math.min(wait * 2, LONGEST_WAIT)) {
    try {
      await lambda.updateEventSourceMapping({ UUID: mapping, Enabled: to === 'enabled' })
      return 'done'
    } catch (error) {
      if (nameOf(error) === 'ResourceNotFoundException') return 'gone'
      if (!BUSY.has(nameOf(error)) || clock.now() + wait > end) throw error
      await clock.sleep(wait)
    }
  }
}

const BUSY: ReadonlySet<string> = new Set(['ResourceInUseException', 'ResourceConflictException'])

/** Lambda has refused the call for good: the mapping is as it was. After any other error it may have been switched. */
function isRefused(error: unknown): boolean {
  return /^(AccessDenied|InvalidParameterValue|ResourceInUse|ResourceConflict)/.test(nameOf(error))
}

function nameOf(error: unknown): string {
  return error instanceof Error ? error.name : ''
}

/**
 * Switches event source mappings on and off. `new Lambda()` of `@aws-sdk/client-lambda` fits.
 * @example
 * import { Lambda } from '@aws-sdk/client-lambda'
 *
 * const lambda: MappingSwitch = new Lambda()
 * sweepHandler({ store, lambda })
 */
export interface MappingSwitch {
  updateEventSourceMapping(input: {
    UUID: string
    Enabled: boolean
  }): Promise<{ readonly State?: string | undefined }>
}
