import * as option from '../../../base/options.ts'
import { ROOT_CONTEXT, trace, type Tracer, type TracerProvider } from '@opentelemetry/api'
import type { Trace } from '../../../run/context/trace.ts'
import type { Tracing } from '../tracing.ts'
import { openBatch, openCallSpan, openDeliverySpan, type Parent } from './deliverySpan.ts'
import { safely, inSpan, sendSpan } from './spans.ts'

/**
 * Options of {@link openTelemetry}. All are optional.
 * @example
 * const options: OpenTelemetryOptions = { parent: 'invocation' }
 */
export interface OpenTelemetryOptions {
  /**
   * The parent of a delivery's span.
   * - `'message'` (default): the span in which its message was created, or the span of the stage that asked for it. One request is
   *   one trace, over all functions, retries and answers, and is sampled as a whole; the span links to its invocation.
   * - `'invocation'`: the span of its batch, as the conventions prefer it; it links to the span in which its message was created.
   *   Take it for a queue to which others may send: the sender chooses the trace of a message, and whether it is sampled.
   */
  readonly parent?: Parent
  /** Default: the one that is registered globally when the first message comes. */
  readonly tracerProvider?: TracerProvider
}

/** What is left when even reading a record's context fails. */
const UNTRACED: Trace = {
  traceparent: undefined,
  carry: (message) => message,
  run: (work) => work(),
  call: (_kind, _name, work) => work(),
  send: (_to, send) => send({ traceparent: undefined, stamp: (message) => message }),
  threw: () => {},
  settled: () => {},
}

const OPTIONS: option.Checks<OpenTelemetryOptions> = {
  parent: option.oneOf('message', 'invocation'),
  tracerProvider: option.having('a TracerProvider of @opentelemetry/api', 'getTracer'),
}

/**
 * Spans of OpenTelemetry for handlers, flows and producers: one for each batch, each delivery of a message, each call that
 * `ctx.call` makes, and each sending. Spans that a handler or another instrumentation opens become children of the delivery's.
 * The SDK, its exporter and its sampler are yours; without them nothing is recorded. What they throw fails no record.
 * @throws ConfigError when an option is wrong
 * @example
 * import { recordHandler } from 'lineclear'
 * import { dynamoDbStore } from 'lineclear/dynamodb'
 * import { openTelemetry } from 'lineclear/opentelemetry'
 *
 * const store = dynamoDbStore({ tableName: 'lineclear' })
 * export const handler = recordHandler(
 *   { name: 'orders', store, schema: OrderPlaced, tracing: openTelemetry() },
 *   async (order, ctx) => {
 *     await ctx.call('charge', ({ idempotencyKey }) => charge(order, idempotencyKey))
 *   },
 * )
 */
export function openTelemetry(options: OpenTelemetryOptions = {}): Tracing {
  option.checkOptions('openTelemetry', options, OPTIONS)
  const { parent = 'message', tracerProvider = trace } = options
  const tracer = (): Tracer => tracerProvider.getTracer('lineclear')
  return Object.freeze({
    batch: (records, names, run) => inSpan(openBatch(tracer, records, names), run),
    delivery: (delivery, names) => safely(() => openDeliverySpan(tracer, delivery, names, parent)),
    call: (call) => safely(() => openCallSpan(tracer, call)) ?? UNTRACED,
    send: sendSpan(tracer, () => ROOT_CONTEXT),
  } satisfies Tracing)
}
