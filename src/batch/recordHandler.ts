import type { StandardSchemaV1 } from '@standard-schema/spec'
import type { Context, SQSBatchResponse, SQSEvent } from 'aws-lambda'
import type { RecordHandlerContext } from '../context/context.ts'
import { handleBatch } from './handleBatch.ts'
import { readOptions } from './consumer.ts'
import type { PayloadOf, RecordHandlerOptions } from './options.ts'
import { tokenStrategy } from './tokenStrategy.ts'

/** A Lambda handler for an SQS event source with `ReportBatchItemFailures`. */
export type SqsHandler = (event: SQSEvent, context: Context) => Promise<SQSBatchResponse>

/**
 * Wraps a function for one message into a Lambda handler for batches, so that every effect of a message that goes
 * through `ctx` happens once. The payload's type comes from the schema. The event source mapping needs
 * `ReportBatchItemFailures`: without it SQS deletes failed records.
 *
 * A handler that returns has ended its message. One that throws is tried again after a growing delay; TerminalError,
 * UnknownOutcomeError and the last attempt go to the dead-letter queue.
 * @throws ConfigError at once, naming the option, when an option is wrong
 */
export function recordHandler<const Schema extends StandardSchemaV1 | undefined = undefined>(
  options: RecordHandlerOptions<Schema>,
  handle: (payload: PayloadOf<Schema>, ctx: RecordHandlerContext) => unknown,
): SqsHandler {
  const known = readOptions(options, handle)
  const consumer = { ...known, names: new Set([known.name, ...known.formerNames]) }
  const protocol = tokenStrategy((payload, ctx) => handle(payload as PayloadOf<Schema>, ctx))

  return (event, context) => handleBatch(event, context, consumer, protocol)
}
