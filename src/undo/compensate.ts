import type { StandardSchemaV1 } from '@standard-schema/spec'
import type { Undo, UndoHandlers } from '../flow/undo.ts'
import { engine } from './engine.ts'

/**
 * How the effects of a stage are undone, by their names; `'line:*'` stands for all names that begin with `line:`, and `'keep'`
 * says that an effect stays. When a run is superseded or given up after it has made effects, the handlers of those effects run
 * once each, in the reverse of this order, the last stage first. Each stage's undo is a record on the queue of the stage: retried,
 * dead-lettered and redriven like any other. Nothing is undone before the last attempt of the run has ended.
 * @param schema the schema of the stage, which gives the payload its type
 * @example
 * const undo = compensate(OrderPlaced, {
 *   reserve: ({ sku, quantity }, ctx) =>
 *     ctx.applyOnce('release', { TableName: 'stock', Key: { sku }, add: { reserved: -quantity } }),
 *   charge: (_order, ctx, { idempotencyKey }) =>
 *     ctx.once('cancel', () => fetch(`https://pay.example/${idempotencyKey}`, { method: 'DELETE' }).then(({ ok }) => ok)),
 *   note: 'keep',
 * })
 */
export function compensate<Schema extends StandardSchemaV1>(
  schema: Schema,
  handlers: UndoHandlers<StandardSchemaV1.InferOutput<Schema>>,
): Undo<StandardSchemaV1.InferOutput<Schema>> {
  return { schema, handlers, engine }
}
