import type { StandardSchemaV1 } from '@standard-schema/spec'
import type { RecordContext } from '../../context/context.ts'
import type { SqlEffects, SqlOf } from '../../context/sqlEffects.ts'
import type { Undo, UndoHandlers, UndoEngine, StageToUndo } from '../../consumer/undo.ts'
import { ConfigError } from '../../base/errors.ts'
import { isObject } from '../../base/kindOf.ts'
import { aSchema, checkOptions, someSqlEffects, wrongOption } from '../../base/options.ts'
import { isUndone } from './namedOnly.ts'
import { undoableRecords } from './undoableRecords.ts'
import { openStage } from './undoStage.ts'
import { runEnder } from './runEnder.ts'
import { writePlan } from './decideEnding.ts'
import type { ClaimStrategy } from '../../deliver/claimStrategy.ts'
import { claimUndo } from './claimUndo.ts'
import { splitClaims } from './claimRecordUndo.ts'

/** Shown by the compiler where the schema is forgotten. */
interface GiveTheSchemaOfTheStageFirst {
  readonly 'compensate(schema, { name: handler })': never
}

/**
 * How the effects of a stage are undone, by their names; `'line:*'` stands for all names that begin with `line:`, and `'keep'`
 * says that an effect stays. When a run is superseded or given up after it has made effects, the handlers of those effects run
 * once each, in the reverse of this order, the last stage first. Effects of `ctx.sql` are undone as well. Each stage's undo is a record on the queue of the stage: retried,
 * dead-lettered and redriven like any other. Nothing is undone before the last attempt of the run has ended.
 * @param schema the schema of the stage, which gives the payload its type
 * @param options `sql` is the option `sql` of the flow, for handlers that use `ctx.sql`
 * @throws ConfigError when an argument or an option is wrong
 * @example
 * const undo = compensate(OrderPlaced, {
 *   reserve: ({ sku, quantity }, ctx) =>
 *     ctx.write('release', { TableName: 'stock', Key: { sku }, add: { reserved: -quantity } }),
 *   charge: (_order, ctx, { idempotencyKey }) =>
 *     ctx.call('cancel', () => fetch(`https://pay.example/${idempotencyKey}`, { method: 'DELETE' }).then(({ ok }) => ok)),
 *   note: 'keep',
 * })
 */
export function compensate<Schema extends StandardSchemaV1, Tx = undefined>(
  schema: Schema,
  handlers: UndoHandlers<StandardSchemaV1.InferOutput<Schema>, RecordContext & SqlOf<Tx>>,
  options?: { readonly sql?: SqlEffects<Tx> },
): Undo<StandardSchemaV1.InferOutput<Schema>, RecordContext & SqlOf<Tx>>
export function compensate(handlers: UndoHandlers<never>): GiveTheSchemaOfTheStageFirst
export function compensate(
  schema: unknown,
  handlers?: UndoHandlers<never, never>,
  options: { readonly sql?: SqlEffects<unknown> } = {},
): unknown {
  if (!aSchema.isRight(schema)) throw wrongArgument('first', 'the schema of the stage', schema)
  if (!isObject(handlers)) throw wrongArgument('second', '{ name: handler }', handlers)
  checkOptions('compensate', options, { sql: someSqlEffects })
  return { schema, handlers, engine, ...options }
}

function wrongArgument(which: string, expected: string, given: unknown): ConfigError {
  const error = wrongOption('compensate', `the ${which} argument`, expected, given)
  return new ConfigError(`${error.message}. Write compensate(schema, { name: handler }).`)
}

export const engine: UndoEngine = {
  planOf: writePlan,
  enderOf: runEnder,
  openStage,
  isUndone,
  strategyOf: withUndo,
  recordsOf: undoableRecords,
}

/** The strategy of a stage whose effects can be undone. */
function withUndo(stage: StageToUndo, ordinary: ClaimStrategy): ClaimStrategy {
  return splitClaims(
    ({ message }) => message.envelope.carried.flow?.undo === true,
    (works, invocation, ahead) => claimUndo(stage, works, invocation, ahead),
    ordinary,
  )
}
