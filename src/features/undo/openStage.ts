import { itemStore } from '../../claim/itemStore.ts'
import type { StageHold } from '../../claim/stage/stageHold.ts'
import type { OpenContext } from '../../context/openContext.ts'
import type { StageToUndo } from '../../consumer/undo.ts'
import { ConfigError } from '../../base/errors.ts'
import { keptPayload, payloadKey } from './keptPayload.ts'
import { namedOnly, type Undoable } from './namedOnly.ts'
import { entryFor } from './undoNames.ts'

/** The context of a stage whose effects can be undone. Its payload is kept first. */
export async function openStage(
  stage: StageToUndo,
  opened: OpenContext,
  { recordPk, uniqueRequestId, stage: stageInRun, keepUntil }: StageHold,
  { keepsOnly = false }: { readonly keepsOnly?: boolean } = {},
): Promise<OpenContext> {
  const key = payloadKey(recordPk, uniqueRequestId, stageInRun)
  const { marksKeptFor, now } = stage
  const marksUntil = marksKeptFor === undefined ? undefined : now() + marksKeptFor
  const item = keptPayload(key, opened.ctx.envelope.body, { keepUntil, marksUntil })
  const kept = await itemStore(stage.store).create(item)
  if (kept.kind === 'failed') throw kept.error
  const of = stageIn(stage)
  const refuses = (call: string, name: string): ConfigError | undefined =>
    entryFor(stage.undo, name) === 'keep' ? undefined : withoutAnswer(stage, call, name)
  return { ...opened, ctx: namedOnly(keepsOnly ? { ...of, refuses } : of, opened) }
}

export function stageIn({ flow, stage, undo }: StageToUndo): Undoable {
  return { where: `stage '${stage}' of flow '${flow}'`, undo }
}

function withoutAnswer({ flow, stage }: StageToUndo, call: string, name: string): ConfigError {
  return new ConfigError(
    `ctx.${call}('${name}') in onTimeout of step '${stage}' of flow '${flow}': expected a name that is 'keep' in the option undo, because ` +
      'its undo would have no answer to work with. Nothing was done. Make the effect in the next stage.',
  )
}
