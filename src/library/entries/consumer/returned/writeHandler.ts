import type { StandardSchemaV1 } from '@standard-schema/spec'
import { handleBatch } from '../../../run/deliver/handleBatch.ts'
import type { PayloadOf, RecordHandlerOptions, AnyRecordOptions } from '../options.ts'
import { type OptionOf, optionsOf } from '../optionTable.ts'
import { readOptions } from '../readOptions.ts'
import type { RecordParts, SqsHandler } from '../recordHandler.ts'
import type { Write } from '../../../run/context/guard/write.ts'
import { ConfigError } from '../../../base/errors.ts'
import { isObject } from '../../../base/kindOf.ts'
import { madeOf } from '../../../base/handler.ts'
import { returnedStrategy, type ReturningContext } from './returnedStrategy.ts'

/** Options of {@link writeHandler}: those of `recordHandler` without what its handler cannot use. */
export type WriteHandlerOptions<Schema extends StandardSchemaV1 | undefined = undefined> =
  RecordHandlerOptions<Schema> & {
    readonly [Name in Exclude<OptionOf<'record'>, OptionOf<'write'>>]?: never
  }

/** What a handler of {@link writeHandler} returns: a write, a list of at most 99, or nothing. */
export type ReturnedWrites = Write | readonly Write[] | undefined

/**
 * As `recordHandler`, for a handler whose only effect are writes in your tables, and which returns them. They are made in one
 * transaction with the end of the request: one call to DynamoDB instead of three, and with one write four write units instead
 * of six. They are made exactly once, as those of `ctx.write`.
 *
 * A guard that does not hold ends the request as `stale`, and nothing is written. A handler that returns nothing has completed
 * its message. What is thrown is handled as by `recordHandler`.
 *
 * A message that comes for the first time is not claimed, so two copies of it may run side by side; only one of them writes.
 * The handler may run once for each copy beyond `maxAttempts`. So it must have no effect of its own, such as an HTTP call:
 * nothing would keep that from being made twice (`exploreCrashes` shows it).
 * @example
 * export const handler = writeHandler(
 *   { name: 'sums', store, schema: OrderPlaced, id: ({ orderId }) => orderId },
 *   ({ sku, quantity }) => ({ TableName: 'sums', Key: { sku }, add: { quantity } }),
 * )
 * @throws ConfigError at once, naming the option, when an option is wrong
 */
export function writeHandler<const Schema extends StandardSchemaV1 | undefined = undefined>(
  options: WriteHandlerOptions<Schema>,
  handle: (
    payload: PayloadOf<Schema>,
    ctx: ReturningContext,
  ) => ReturnedWrites | Promise<ReturnedWrites>,
): SqsHandler {
  refuseOptions(options)
  const ofRecords: RecordHandlerOptions<Schema> = options
  const known = readOptions(ofRecords as AnyRecordOptions, handle, 'writeHandler')
  const consumer = { ...known, names: new Set([known.name, ...known.formerNames]) }
  const strategy = returnedStrategy((payload, ctx) => handle(payload as PayloadOf<Schema>, ctx))
  const handler: SqsHandler = (event, context) => handleBatch(event, context, consumer, strategy)
  return madeOf(handler, { consumer } satisfies RecordParts)
}

/**
 * Refuses options for calls of `ctx` that the handler does not have. What is no object is refused as by recordHandler.
 * @throws ConfigError for an option that would be ignored
 */
function refuseOptions(options: unknown): void {
  const known = optionsOf('write')
  const others = optionsOf('record').filter((name) => !known.includes(name))
  const given = others.find((name) => isObject(options) && options[name] !== undefined)
  if (given === undefined) return
  throw new ConfigError(
    `writeHandler: ${given}: not an option of writeHandler, whose handler only returns writes. Use recordHandler.`,
  )
}
