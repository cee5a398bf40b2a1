import { ConfigError } from './errors.ts'
import { isObject } from './kindOf.ts'
import { isDurableContext } from './lambda.ts'

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
      "DurableExecutionName: ctx.idempotencyKey('start', { maxLength: 64 }) in ctx.once('start', …), and wrap what a step calls: " +
      "context.step('charge', () => chargeOnce(order))",
  )
}

/** What Lambda gives the function of a durable execution, before the SDK has read it. */
function isDurableInput(event: unknown): boolean {
  return isObject(event) && 'DurableExecutionArn' in event && 'CheckpointToken' in event
}
