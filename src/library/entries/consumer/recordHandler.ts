import type { StandardSchemaV1 } from '@standard-schema/spec'
import type { Context, SQSBatchResponse, SQSEvent } from 'aws-lambda'
import type { RecordContext } from '../../run/context/context.ts'
import type { HandlerResult } from '../../run/context/handlerResult.ts'
import type { SqlOf } from '../../run/context/sqlEffects.ts'
import { unlessDone } from './alreadyDone.ts'
import { readOptions } from './readOptions.ts'
import { handleBatch } from '../../run/deliver/handleBatch.ts'
import type { AnyRecordOptions, PayloadOf, RecordHandlerOptions } from './options.ts'
import { type Handle, tokenStrategy } from '../../run/deliver/tokenStrategy.ts'
import { madeOf } from '../../base/handler.ts'
import type { Consumer } from '../../run/deliver/consumer.ts'

/** A Lambda handler for an SQS event source mapping with `ReportBatchItemFailures`. */
export type SqsHandler = (event: SQSEvent, context: Context) => Promise<SQSBatchResponse>

/** What a handler of single records carries, see `madeOf`. */
export interface RecordParts {
  readonly consumer: Consumer
}

/**
 * Wraps a function for one message into a Lambda handler for batches, so that every effect of a message that goes through
 * `ctx` happens exactly once, however often SQS delivers it. The type of the payload comes from the schema.
 *
 * A handler that returns has completed its message. One that throws is retried with growing delays. It is dead-lettered after
 * its last attempt, and at once for TerminalError, RejectedError and UnknownOutcomeError; StaleError drops it.
 * The event source mapping needs `ReportBatchItemFailures`: without it SQS deletes failed records.
 * @example
 * export const handler = recordHandler(
 *   { name: 'orders', store, schema: OrderPlaced, id: ({ orderId }) => orderId },
 *   async (order, ctx) => {
 *     await ctx.call('charge', ({ idempotencyKey }) => charge(order, idempotencyKey))
 *   },
 * )
 * @throws ConfigError at once, naming the option, when an option is wrong
 */
export function recordHandler<
  const Schema extends StandardSchemaV1 | undefined = undefined,
  Tx = undefined,
>(
  options: RecordHandlerOptions<Schema, Tx>,
  handle: (payload: PayloadOf<Schema>, ctx: RecordContext & SqlOf<Tx>) => HandlerResult,
): SqsHandler {
  const known = readOptions(options as AnyRecordOptions, handle)
  const consumer = { ...known, names: new Set([known.name, ...known.formerNames]) }
  // Whether `ctx.sql` can be called follows from the same options as its type.
  const run: Handle = (payload, ctx) =>
    handle(payload as PayloadOf<Schema>, ctx as RecordContext & SqlOf<Tx>)
  const { alreadyDone } = options as AnyRecordOptions
  const own = tokenStrategy(run)
  const strategy = alreadyDone === undefined ? own : unlessDone(own, alreadyDone)
  const handler: SqsHandler = (event, context) => handleBatch(event, context, consumer, strategy)
  return madeOf(handler, { consumer } satisfies RecordParts)
}
