import { ttlAt } from '../../base/limits/lifetime.ts'
import type { Invocation } from '../../deliver/invocation.ts'
import { type ItemStore, itemStore } from '../../claim/itemStore.ts'
import { idempotencyKeyOf } from '../../context/outsideCall.ts'
import type { OpenContext } from '../../context/openContext.ts'
import { readResult } from '../../context/results.ts'
import { LostError, SendFailedError, ConfigError } from '../../base/errors.ts'
import type { MadeEffect, StageToUndo } from '../../consumer/undo.ts'
import type { RunReference } from '../../record/envelope/envelope.ts'
import { parsePayload } from '../../record/message/parsePayload.ts'
import { type EffectState, effectsOf, effectsInSql, type SqlResult } from './effectsMade.ts'
import { mayLackMarks, payloadKey, keptPayload } from './keptPayload.ts'
import { markUndone, type ParkedUndo, undoMessage } from './parkDead.ts'
import { undoEffects } from './undoEffects.ts'
import { isUndone, namedOnly, type Undoable, entryFor } from './namedOnly.ts'
import { stagesToUndo } from './decideEnding.ts'
import type { StageHold } from '../../claim/stage/stageHold.ts'

interface UndoOfStage {
  readonly stage: StageToUndo
  readonly parked: ParkedUndo
  readonly run: RunReference
  readonly opened: OpenContext
  readonly store: ItemStore
  readonly invocation: Invocation
}

/** Undoes the effects of one stage, the last one first; then it asks the stage before, or notes that everything is undone. */
export async function undoStage(undo: UndoOfStage): Promise<void> {
  const { parked, run, stage, opened } = undo
  const made = new Map<string, EffectState | SqlResult>([
    ...effectsOf(parked.marks, run.from),
    ...(await effectsInSql(parked, run, undo.invocation)),
  ])
  const body = await readBody(undo, made.size > 0)
  // Where every effect stays there may be none that the schema takes: an awaited step has timed out.
  const isNeeded = [...made.keys()].some((name) => isUndone(stage.undo, name))
  const { form } = undo.invocation.consumer
  const payload =
    isNeeded && body !== undefined ? await parsePayload(body, form, stage.undo.schema) : undefined
  const effects = [...made].map(([name, state]) => {
    const describe = (): Promise<MadeEffect> => madeEffect(undo, name, state)
    return [name, state === 'not made' ? undefined : describe] as const
  })
  await undoEffects({ of: stageIn(stage), opened, payload, made: new Map(effects) })
  await handOn(undo)
  opened.ctx.logger.info('undone', { effects: [...made.keys()] })
}

async function madeEffect(
  undo: UndoOfStage,
  name: string,
  state: EffectState | SqlResult,
): Promise<MadeEffect> {
  const { run, parked } = undo
  const scope = { uniqueRequestId: run.id, consumer: `${run.name}.${run.from}` }
  const inSql = typeof state === 'object' ? state : undefined
  const answer = state === 'begun' ? await readAnswer(undo, name) : inSql
  return {
    name,
    state: state === 'made' || answer !== undefined ? 'yes' : 'unknown',
    answer: answer?.result,
    idempotencyKey: idempotencyKeyOf(scope, name),
    uniqueRequestId: parked.uniqueRequestId,
  }
}

/** The result of the call. It may have been stored after the run had ended: what happened outside happened. */
async function readAnswer(
  { parked, run, store, invocation }: UndoOfStage,
  name: string,
): Promise<{ readonly result: unknown } | undefined> {
  const read = await store.read({
    pk: parked.key.pk,
    sk: `answer#${run.id}#${run.from}:${name}`,
  })
  if (read.kind === 'failed') throw read.error
  const stored = read.item?.['answer']
  if (typeof stored !== 'string') return undefined
  const { results, clock } = invocation.consumer
  const kept = await readResult({ store: results, clock }, name, stored)
  return { result: kept.kind === 'result' ? kept.result : undefined }
}

/** @returns undefined when nothing is to be undone: the stage has ended before its handler began */
async function readBody(
  { parked, run, store, invocation }: UndoOfStage,
  hasEffects: boolean,
): Promise<string | undefined> {
  const { clock, retention } = invocation.consumer
  const read = await store.read(payloadKey(parked.key.pk, run.id, run.from))
  if (read.kind === 'failed') throw read.error
  // Also when it was deleted.
  const kept = { ttl: ttlAt(parked.plan.sentAt + retention), ...read.item }
  const { body } = read.item ?? {}
  const isOver = parked.plan.inSql && mayLackMarks(kept, clock.now())
  if (typeof body === 'string' && !isOver) return body
  const isSettled = parked.stages.get(run.from)?.status === 'settled'
  if (!hasEffects && !isOver && !isSettled) return undefined
  throw new LostError(
    'payload',
    `undo: the payload of stage '${run.from}' of ${run.id} is no longer kept: this attempt has undone nothing. Make the changes by hand`,
  )
}

/**
 * Asks the stage before, or notes that everything is undone: before this record settles, because after it nothing else would. Both
 * may be repeated.
 */
export async function handOn({
  parked,
  run,
  store,
  invocation,
}: Pick<UndoOfStage, 'parked' | 'run' | 'store' | 'invocation'>): Promise<void> {
  const { messenger, clock, retention } = invocation.consumer
  const stages = stagesToUndo(parked.plan, parked)
  const next = stages[stages.findIndex(({ stage }) => stage === run.from) + 1]
  if (next === undefined) {
    const outcome = await store.update(markUndone(parked, clock.now(), retention))
    if (outcome.kind === 'failed') throw outcome.error
    return
  }
  const [refusal] = await messenger.send(next.queueUrl, [undoMessage(parked, next, clock.now())])
  if (refusal === undefined) return
  throw new SendFailedError(
    `undo: ${next.queueUrl} did not take the message for stage '${next.stage}' (${refusal.message})`,
    { cause: refusal },
  )
}

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

function stageIn({ flow, stage, undo }: StageToUndo): Undoable {
  return { where: `stage '${stage}' of flow '${flow}'`, undo }
}

function withoutAnswer({ flow, stage }: StageToUndo, call: string, name: string): ConfigError {
  return new ConfigError(
    `ctx.${call}('${name}') in onTimeout of step '${stage}' of flow '${flow}': expected a name that is 'keep' in the option undo, because ` +
      'its undo would have no answer to work with. Nothing was done. Make the effect in the next stage.',
  )
}
