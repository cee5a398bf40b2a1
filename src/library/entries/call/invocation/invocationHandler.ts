import * as option from '../../../base/options.ts'
import type { Context } from 'aws-lambda'
import type { InvocationContext } from '../../../run/context/context.ts'
import type { SqlOf } from '../../../run/context/sqlEffects.ts'
import { refuseDurable, madeOf } from '../../../base/handler.ts'
import { ConfigError, RejectedError } from '../../../base/errors.ts'
import { type CallParts, oncePerKey, refuseStreaming } from '../idempotent.ts'
import { idempotencyConfig } from '../config.ts'
import type { ContextSource } from '../contextSource.ts'
import type { IdempotentOptions } from '../idempotentOptions.ts'
import { isObject, kindOf } from '../../../base/kindOf.ts'
import { TIME_EXPECTED, toTime } from '../../../base/time.ts'
import { invocationContext } from './invocationContext.ts'
import { comparedOf, keyOf, timeOf } from './identity.ts'
import type { InvocationHandlerOptions } from './options.ts'

/**
 * Wraps a function into a Lambda handler for direct invocations: asynchronous ones, EventBridge rules and schedules, tasks of
 * Step Functions, and HTTP APIs. Its effects through `ctx` happen once per key, as those of a record; its result is stored and
 * replayed.
 *
 * - A handler that throws leaves its effects and results stored. The next attempt with the same key continues from there:
 *   Lambda's own retry of an asynchronous invocation, or a call of the caller.
 * - TerminalError is stored, and thrown again to every later attempt. UnknownOutcomeError parks the key for an operator.
 * - Messages are sent when the handler has returned, and then the result is stored.
 * - While an attempt runs, another one waits for its result (`waitForOther`), then throws InProgressError. Events of EventBridge
 *   and those with `Records` do not wait: Lambda tries them again. HTTP requests are answered with problem details.
 * - A retry of the same Lambda request takes over from a killed attempt half a minute after its last sign of life.
 * @throws ConfigError at once, naming the option, when an option is wrong
 * @example
 * export const handler = invocationHandler(
 *   { name: 'settlement', store, key: ({ night }: { night: string }) => night },
 *   async ({ night }, ctx) => {
 *     await ctx.write('settle', { TableName: 'settlements', Key: { night }, put: { state: 'settled' } })
 *     await ctx.send(process.env['SETTLED_QUEUE'] ?? '', { night })
 *   },
 * )
 */
export function invocationHandler<Event, Returned, Tx = undefined>(
  options: InvocationHandlerOptions<Event, Awaited<Returned>, Tx>,
  handle: (event: Event, ctx: InvocationContext & SqlOf<Tx>) => Returned,
): (event: Event, context: Context) => Promise<Awaited<Returned>> {
  option.checkOptions(WHO, options, OPTIONS)
  if (typeof handle !== 'function') {
    throw option.wrongOption(WHO, 'the second argument', 'a function (event, ctx)', handle)
  }
  refuseStreaming(WHO, handle)
  const config = idempotencyConfig(WHO, callOptions(options), contextOf(options))
  // A call without a key, which would have no `ctx`, is never run here.
  const wrapped = oncePerKey(config, handle, ([event]: Invoked<Event>, ctx) =>
    handle(event, ctx as InvocationContext & SqlOf<Tx>),
  )
  const handler = async (event: Event, context: Context): Promise<Awaited<Returned>> => {
    refuseDurable(WHO, event, context)
    if (!isObject(context) || typeof context.awsRequestId !== 'string') throw noContext()
    return await wrapped(event, context)
  }
  return madeOf(handler, { call: WHO, name: options.name } satisfies CallParts)
}

const WHO = 'invocationHandler'

type Invoked<Event> = readonly [event: Event, context: Context]

/** A direct invocation is a call of `idempotent` whose key, payload and time come from its event. */
function callOptions<Event, Result, Tx>(
  options: InvocationHandlerOptions<Event, Result, Tx>,
): IdempotentOptions<Invoked<Event>, Result> {
  const { name, key, payload, sentAt: _sentAt, retention = '30d', ...others } = options
  const { clients: _clients, timeoutMargin: _margin, ...more } = others
  const { delays: _delays, tracing: _tracing, sql: _sql, ...common } = more
  return {
    ...common,
    retention,
    name,
    hash: 'plain',
    key: (event, { awsRequestId }) => {
      checkSentAt(options, event)
      return keyOf(event, awsRequestId, key)
    },
    payload: (event) => (payload === undefined ? comparedOf(event) : payload(event)),
  }
}

function contextOf<Event, Result, Tx>(
  options: InvocationHandlerOptions<Event, Result, Tx>,
): ContextSource {
  const { sentAt } = options
  return invocationContext(options, (event) =>
    sentAt === undefined ? timeOf(event) : toTime(sentAt(event as Event)),
  )
}

/** Before the claim: an event without its time is refused as one without its key, and nothing is held for it. */
function checkSentAt<Event>(
  { sentAt }: Pick<InvocationHandlerOptions<Event, never>, 'sentAt'>,
  event: Event,
): void {
  if (sentAt === undefined) return
  const given = sentAt(event)
  if (toTime(given) !== undefined) return
  throw new RejectedError(`sentAt: expected ${TIME_EXPECTED}; got ${kindOf(given)}`)
}

function noContext(): ConfigError {
  return new ConfigError(
    `${WHO}: expected to be called by Lambda with (event, context); the context has no awsRequestId. Nothing was run. In a test ` +
      "pass a context such as { awsRequestId: 'r-1', functionName: 'settlement', getRemainingTimeInMillis: () => 30_000 }",
  )
}

const OPTIONS: option.Checks<InvocationHandlerOptions<unknown, unknown, unknown>> = {
  name: option.required(
    option.matching(/^[\w.-]{1,128}$/, 'letters, digits, ".", "_" or "-", at most 128'),
  ),
  store: option.aStore,
  key: option.aFunction('(event) => event.orderId'),
  tenant: {
    expected: "a function, such as (event) => event.customerId, or 'none'",
    isRight: (value) => typeof value === 'function' || value === 'none',
  },
  payload: option.aFunction('(event) => event.amount'),
  sentAt: option.aFunction('(event) => event.time'),
  retention: option.anything,
  waitForOther: option.anything,
  validResponse: option.anything,
  classify: option.anything,
  onReplay: option.anything,
  offload: option.anOffload,
  logger: option.aLogger,
  metrics: option.someMetrics,
  clock: option.aClock,
  clients: option.someClients,
  timeoutMargin: option.anything,
  delays: option.having('storedDelays()', 'rowOf', 'keep'),
  tracing: option.aTracing,
  sql: option.someSqlEffects,
}
