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
  { keepsOnly = false }: { readonly keepsOnly?: boolean } = {},
): Promise<OpenContext> {
  const key = payloadKey(recordPk, uniqueRequestId, stageInRun)
  const item = keptPayload(key, opened.ctx.envelope.body, stage.now() + stage.retention)
  const kept = await itemStore(stage.store).create(item)
  if (kept.kind === 'failed') throw kept.error
  return { ...opened, ctx: namedOnly(stage, opened, keepsOnly) }
}

function namedOnly(
  stage: StageToUndo,
  { ctx, track }: OpenContext,
  keepsOnly: boolean,
): OpenContext['ctx'] {
  /** A failed check fails the record, even if the handler does not await the call. */
  const refuse = <T>(error: ConfigError): Promise<T> =>
    track(async (): Promise<T> => {
      throw error
    })
  const unnamed = (call: string) => () => refuse<never>(unnamedWrite(stage, call))
  const calls = new Map<string, string>()
  const wrongName = (call: string, name: unknown): ConfigError | undefined => {
    if (typeof name !== 'string') return undefined
    const entry = entryFor(stage.undo, name)
    if (entry === undefined) return unknownName(stage, call, name)
    if (keepsOnly && entry !== 'keep') return withoutAnswer(stage, call, name)
    if (call === 'sql' && !isColumn(name)) return unstorable(stage, name)
    const other = calls.get(name) ?? call
    calls.set(name, other)
    return other === call ? undefined : sharedName(stage, call, name, other)
  }
  const checked =
    <Args extends readonly [name: string, ...rest: never[]], T>(
      call: string,
      make: (...args: Args) => Promise<T>,
    ) =>
    (...args: Args): Promise<T> => {
      const wrong = wrongName(call, args[0])
      return wrong === undefined ? make(...args) : refuse(wrong)
    }
  const sql = <T>(name: string, work: (tx: unknown) => T | Promise<T>): Promise<Stored<T>> =>
    checked('sql', (given: string) => ctx.sql(given, work))(name)
  return Object.freeze({
    ...ctx,
    put: unnamed('put'),
    update: unnamed('update'),
    delete: unnamed('delete'),
    applyOnce: checked('applyOnce', ctx.applyOnce),
    once: checked('once', ctx.once),
    sql,
  })
}

/** Bytes. A longer name is stored as its hash, under which no handler could be found. */
const LONGEST = 255

function isColumn(name: string): boolean {
  return Buffer.byteLength(name) <= LONGEST && !name.includes('\0')
}

function unstorable({ flow, stage }: StageToUndo, name: string): ConfigError {
  return new ConfigError(
    `ctx.sql in stage '${stage}' of flow '${flow}': name: expected at most ${LONGEST} bytes without the character 0, because the stage has ` +
      `the option undo; got ${Buffer.byteLength(name)} bytes. Nothing was done.`,
  )
}

function withoutAnswer({ flow, stage }: StageToUndo, call: string, name: string): ConfigError {
  return new ConfigError(
    `ctx.${call}('${name}') in onTimeout of step '${stage}' of flow '${flow}': expected a name that is 'keep' in the option undo, because ` +
      'its undo would have no answer to work with. Nothing was done. Make the effect in the next stage.',
  )
}

function sharedName(
  { flow, stage }: StageToUndo,
  call: string,
  name: string,
  other: string,
): ConfigError {
  return new ConfigError(
    `ctx.${call}('${name}') in stage '${stage}' of flow '${flow}': ctx.${other} has this name, and one handler of undo cannot tell the ` +
      'two effects apart. Nothing was done. Use another name.',
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
