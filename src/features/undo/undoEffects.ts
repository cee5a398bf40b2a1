import type { MadeEffect } from '../../consumer/undo.ts'
import { refuseResult } from '../../context/handlerResult.ts'
import type { OpenContext } from '../../context/openContext.ts'
import { hasCode, TerminalError } from '../../base/errors.ts'
import type { Undoable } from './namedOnly.ts'
import { undoContext } from './undoContext.ts'
import { entryFor, inUndoOrder } from './undoNames.ts'

interface EffectsToUndo {
  readonly of: Undoable
  readonly opened: OpenContext
  readonly payload: unknown
  /** What is known of each, by its name. undefined: it certainly was not made. */
  readonly made: ReadonlyMap<string, (() => Promise<MadeEffect>) | undefined>
}

/** Undoes effects one after the other, in the reverse of their declaration, and waits for all that their handlers have begun. */
export async function undoEffects(given: EffectsToUndo): Promise<void> {
  const { of, made, opened } = given
  for (const name of inUndoOrder(of.undo, [...made.keys()])) await undoEffect(given, name)
  await opened.settled()
}

async function undoEffect(
  { of, opened, payload, made }: EffectsToUndo,
  name: string,
): Promise<void> {
  const describe = made.get(name)
  const entry = entryFor(of.undo, name)
  if (entry === undefined) throw noEntry(of, name)
  if (entry === 'keep' || describe === undefined) return
  const ctx = undoContext(opened, name)
  try {
    refuseResult(await entry(payload as never, ctx, await describe()))
  } catch (error) {
    throw hasCode(error, 'STALE') ? mayNotEnd(of, name, error) : error
  }
}

function noEntry({ where }: Undoable, name: string): TerminalError {
  return new TerminalError(
    `undo of ${where}: it has made the effect '${name}', and the option undo no longer has that name. ` +
      `Nothing more was undone. Add it, deploy, and redrive this dead letter.`,
  )
}

/** It would end the record as done, with the other effects still in place. */
function mayNotEnd({ where }: Undoable, name: string, cause: unknown): TerminalError {
  return new TerminalError(
    `undo of ${where}: the handler of '${name}' threw StaleError, which cannot end an undo. Nothing more was undone. ` +
      'Return instead if there is nothing to undo, deploy, and redrive this dead letter.',
    { cause },
  )
}
