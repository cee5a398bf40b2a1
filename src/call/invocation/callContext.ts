import { ConfigError } from '../../base/errors.ts'
import type { InvocationContext } from '../../context/context.ts'
import type { SqlOf } from '../../context/sqlEffects.ts'
import { isObject } from '../../base/kindOf.ts'

/** By the Lambda context of their invocation, which is another object for each one. */
const contexts = new WeakMap<object, InvocationContext>()

export function noteContext(lambda: object | undefined, ctx: InvocationContext): void {
  if (lambda !== undefined) contexts.set(lambda, ctx)
}

/**
 * The `ctx` of the invocation with this Lambda context, for handlers behind the middleware `idempotency` with the option
 * `effects`. `Tx` is the transaction of the option `sql`, such as `PostgresTransaction`.
 * @throws ConfigError when the invocation has none, such as one that the option `when` leaves unprotected
 * @example
 * import middy from '@middy/core'
 * import { callContext, callEffects } from 'lineclear'
 * import { idempotency } from 'lineclear/middy'
 *
 * export const handler = middy(async (event: APIGatewayProxyEvent, context: Context) => {
 *   const ctx = callContext(context)
 *   await ctx.applyOnce('book', { TableName: 'sums', Key: { sku: 'a' }, add: { cents: 990 } })
 *   return { statusCode: 204 }
 * }).use(idempotency({ store, scope: 'bookings', effects: callEffects() }))
 */
export function callContext<Tx = undefined>(context: object): InvocationContext & SqlOf<Tx> {
  const ctx = isObject(context) ? contexts.get(context) : undefined
  // The options of the middleware say whether there is `sql`, and with which transaction.
  if (ctx !== undefined) return ctx as InvocationContext & SqlOf<Tx>
  throw new ConfigError(
    'callContext: expected the Lambda context of an invocation behind idempotency({ effects: callEffects() }) that holds its ' +
      'key; this one has no ctx. Nothing was done.',
  )
}
