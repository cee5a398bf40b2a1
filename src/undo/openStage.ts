import { itemStore } from '../claim/itemStore.ts'
import type { StageHold } from '../claim/stage/stageHold.ts'
import type { Stored } from '../context/stored.ts'
import type { OpenContext } from '../context/openContext.ts'
import { ConfigError } from '../errors.ts'
import type { StageToUndo } from '../flow/undo.ts'
import { keptPayload, payloadKey } from './keptPayload.ts'
import { entryFor } from './undoNames.ts'

/** The context of a stage whose effects can be undone: every effect has a name, and every name an entry in `undo`. */
export async function openStage(
  stage: StageToUndo,
  opened: OpenContext,
  { recordPk, uniqueRequestId, stage: stageInRun }: StageHold,
): Promise<OpenContext> {
  const key = payloadKey(recordPk, uniqueRequestId, stageInRun)
  const item = keptPayload(key, opened.ctx.envelope.body, stage.now() + stage.retention)
  const kept = await itemStore(stage.store).create(item)
  if (kept.kind === 'failed') throw kept.error
  return { ...opened, ctx: namedOnly(stage, opened) }
}

function namedOnly(stage: StageToUndo, { ctx, track }: OpenContext): OpenContext['ctx'] {
  /** A failed check fails the record, even if the handler does not await the call. */
  const refuse = <T>(error: ConfigError): Promise<T> =>
    track(async (): Promise<T> => {
      throw error
    })
  const unnamed = (call: string) => () => refuse<never>(unnamedWrite(stage, call))
  const checked =
    <Args extends readonly [name: string, ...rest: never[]], T>(
      call: string,
      make: (...args: Args) => Promise<T>,
    ) =>
    (...args: Args): Promise<T> => {
      const [name] = args
      const isKnown = typeof name !== 'string' || entryFor(stage.undo, name) !== undefined
      return isKnown ? make(...args) : refuse(unknownName(stage, call, name))
    }
  return Object.freeze({
    ...ctx,
    put: unnamed('put'),
    update: unnamed('update'),
    delete: unnamed('delete'),
    applyOnce: checked('applyOnce', ctx.applyOnce),
    once: checked('once', ctx.once),
    sql: <T>(name: string, work: (tx: unknown) => T | Promise<T>) =>
      entryFor(stage.undo, name) === 'keep'
        ? ctx.sql(name, work)
        : refuse<Stored<T>>(sqlStays(stage, name)),
  })
}

function sqlStays({ flow, stage }: StageToUndo, name: string): ConfigError {
  return new ConfigError(
    `ctx.sql('${name}') in stage '${stage}' of flow '${flow}': the stage has the option undo, and effects in SQL are not undone. Nothing ` +
      `was written. Add '${name}': 'keep' to undo if it may stay; else make it in a stage without undo.`,
  )
}

function unnamedWrite({ flow, stage }: StageToUndo, call: string): ConfigError {
  return new ConfigError(
    `ctx.${call} in stage '${stage}' of flow '${flow}': the stage has the option undo, and a write without a name cannot be undone. ` +
      `Nothing was written. Use ctx.applyOnce(name, …), and add the name to undo, as a handler or as 'keep'.`,
  )
}

function unknownName({ flow, stage, undo }: StageToUndo, call: string, name: string): ConfigError {
  const names = Object.keys(undo.handlers).join(', ') || 'none'
  return new ConfigError(
    `ctx.${call}('${name}') in stage '${stage}' of flow '${flow}': expected a name of the option undo (${names}). Nothing was done. ` +
      `Add it, as a handler or as 'keep'.`,
  )
}
