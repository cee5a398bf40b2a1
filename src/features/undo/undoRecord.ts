import type { Invocation } from '../../deliver/invocation.ts'
import type { MadeEffect, RecordsToUndo } from '../../consumer/undo.ts'
import { STARTED } from '../../claim/hold.ts'
import type { Token } from '../../claim/token/token.ts'
import { idempotencyKeyOf } from '../../context/outsideCall.ts'
import type { OpenContext } from '../../context/openContext.ts'
import { readResult } from '../../context/results.ts'
import { LostError, TerminalError } from '../../base/errors.ts'
import { parsePayload } from '../../record/message/parsePayload.ts'
import { deadRecordOf, type KeptRecord } from '../../claim/token/deadRecord.ts'
import { undoEffects } from './undoEffects.ts'
import { consumerOf } from './namedOnly.ts'

interface UndoOfRecord {
  readonly records: RecordsToUndo
  /** The token of the dead record: nothing is written to it while its effects are undone. */
  readonly dead: Token
  readonly kept: KeptRecord | undefined
  readonly opened: OpenContext
  readonly invocation: Invocation
}

/** Undoes the effects of a dead record. */
export async function undoRecord(undo: UndoOfRecord): Promise<void> {
  const { records, dead, kept, opened, invocation } = undo
  const { form, clock } = invocation.consumer
  // Marks in SQL that have expired may be gone: then it is unknown which effects stand.
  const isOver = kept?.inSql === true && kept.keptUntil <= clock.now()
  if (kept === undefined || isOver) throw noPayload(dead)
  const made = new Map([...effectsOfToken(undo), ...(await effectsInSql(undo, kept))])
  const payload = await parsePayload(kept.body, form, records.undo.schema)
  await undoEffects({ of: consumerOf(records), opened, payload, made })
  const { id } = deadRecordOf(dead)
  opened.ctx.logger.info('undone', { undoes: id, effects: [...made.keys()] })
}

type Described = readonly [name: string, describe: () => Promise<MadeEffect>]

function effectsOfToken(undo: UndoOfRecord): readonly Described[] {
  const { applied, calls } = undo.dead
  return [
    ...[...applied].map((name): Described => [name, async () => effect(undo, name, 'yes')]),
    ...[...calls].map(([name, stored]): Described => [name, () => callMade(undo, name, stored)]),
  ]
}

/** A call that was begun may have reached its system. One that certainly did not has left no text. */
async function callMade(undo: UndoOfRecord, name: string, stored: string): Promise<MadeEffect> {
  if (stored === STARTED) return effect(undo, name, 'unknown')
  const { results, clock } = undo.invocation.consumer
  const kept = await readResult({ store: results, clock }, name, stored)
  return effect(undo, name, 'yes', kept.kind === 'result' ? kept.result : undefined)
}

/**
 * The fence went up when the undo was asked for. It goes up in the database before it is asked: a COMMIT of the last attempt may
 * still be on the wire.
 */
async function effectsInSql(
  undo: UndoOfRecord,
  { inSql }: KeptRecord,
): Promise<readonly Described[]> {
  const { records, dead, invocation } = undo
  const { sql, retention } = invocation.consumer
  if (!inSql) return []
  if (sql === undefined) throw noDatabase(records)
  const { pk: subject, fence } = dead
  const fencing = { subject, request: '', epoch: 0, stage: '', fence, isSurelyFirst: false }
  const timeLeft = (): number => invocation.remainingTime()
  const made = await sql.made({ fencing, retention, timeLeft })
  return [...made].map(([name, result]) => [name, async () => effect(undo, name, 'yes', result)])
}

function effect(
  { dead }: UndoOfRecord,
  name: string,
  state: MadeEffect['state'],
  answer?: unknown,
): MadeEffect {
  const { id, consumer } = deadRecordOf(dead)
  const key = idempotencyKeyOf({ uniqueRequestId: id, consumer }, name)
  return { name, state, answer, idempotencyKey: key, uniqueRequestId: id }
}

function noPayload(dead: Token): LostError {
  const { id } = deadRecordOf(dead)
  return new LostError(
    'payload',
    `undo: the payload of ${id} is no longer kept: this attempt has undone nothing. Make the changes by hand`,
  )
}

function noDatabase({ consumer }: RecordsToUndo): TerminalError {
  return new TerminalError(
    `undo of consumer '${consumer.name}': it no longer has the option sql, so it is unknown which effects of ctx.sql stand. ` +
      'Nothing was undone. Add it, deploy, and redrive this dead letter.',
  )
}
