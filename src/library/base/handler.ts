import type { Context } from 'aws-lambda'
import { isObject } from './kindOf.ts'
import type { LogFields } from './logger.ts'
import { ConfigError } from './errors.ts'

/** Handlers and flows carry what they were made of, for tools and the status of a request; several copies of Lineclear in a process understand each other. */
const MADE_OF = Symbol.for('lineclear.madeOf')

/** Adds what the handler was made of. Nothing in a running handler reads it. */
export function madeOf<Handler extends object>(handler: Handler, parts: object): Handler {
  return Object.assign(handler, { [MADE_OF]: parts })
}

/** undefined for what Lineclear has not made. */
export function partsOf(handler: unknown): unknown {
  return typeof handler === 'function' || isObject(handler)
    ? Reflect.get(handler, MADE_OF)
    : undefined
}

/**
 * Names the invocation on each line of the log, under the names of Powertools Logger: if its `addContext` has set them, they are
 * not there twice.
 */
export function lambdaFields(lambda: Partial<Context> | undefined): LogFields {
  return lambda === undefined
    ? {}
    : {
        function_name: lambda.functionName,
        function_version: lambda.functionVersion,
        function_request_id: lambda.awsRequestId,
      }
}

/** What the SDK of durable executions gives its handlers in place of Lambda's context. */
export function isDurableContext(context: unknown): boolean {
  return (
    isObject(context) &&
    typeof context['step'] === 'function' &&
    typeof context['wait'] === 'function'
  )
}

/**
 * A durable execution calls its function again and again, each time from its begin, and may wait for days in between. The first of
 * these calls would hold the key, and all others, and every other execution, would be refused or take over too early.
 * @throws ConfigError when a call comes from one
 */
export function refuseDurable(where: string, event: unknown, context: unknown): void {
  if (!isDurableContext(context) && !isDurableInput(event)) return
  throw new ConfigError(
    `${where}: a durable execution replays its function, which is no repeated call, and waits for longer than a lease lasts: ` +
      'expected a function without a DurableContext. Nothing was run. Start one execution per request with its name, such as ' +
      "DurableExecutionName: ctx.idempotencyKey('start', { maxLength: 64 }) in ctx.call('start', …), and wrap what a step calls: " +
      "context.step('charge', () => chargeOnce(order))",
  )
}

/** What Lambda gives the function of a durable execution, before the SDK has read it. */
function isDurableInput(event: unknown): boolean {
  return isObject(event) && 'DurableExecutionArn' in event && 'CheckpointToken' in event
}
