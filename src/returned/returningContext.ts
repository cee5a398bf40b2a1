import type { RecordContext } from '../context/context.ts'
import { ConfigError } from '../errors.ts'

/** What a handler may use that has not claimed its request: nothing that has an effect. */
const WITHOUT_EFFECT = [
  'uniqueRequestId',
  'sentAt',
  'attempt',
  'retryCount',
  'envelope',
  'signal',
  'logger',
  'lambda',
  'remainingTime',
  'idempotencyKey',
  'get',
  'defer',
] as const satisfies readonly (keyof RecordContext)[]

/**
 * The `ctx` of {@link writeHandler}: what has no effect. Another call of `ctx` throws a ConfigError.
 * @example
 * const write = async (order: Order, ctx: ReturningContext) => ({
 *   TableName: 'orders', Key: { orderId: order.orderId }, put: { ...order, seen: ctx.sentAt },
 * })
 */
export type ReturningContext = Pick<RecordContext, (typeof WITHOUT_EFFECT)[number]>

/** From JavaScript the other calls can be made. Nothing is done by then, so each of them says so. */
export function returningContext(ctx: RecordContext): ReturningContext {
  const refusing = Object.keys(ctx).map((name) => [name, () => refuse(name)] as const)
  const allowed = WITHOUT_EFFECT.map((name) => [name, ctx[name]] as const)
  return Object.freeze(Object.fromEntries([...refusing, ...allowed]) as unknown as ReturningContext)
}

function refuse(name: string): never {
  throw new ConfigError(
    `ctx.${name}: a handler of writeHandler has no effects but the writes that it returns; nothing was done. Return the write, ` +
      `or make the handler with recordHandler.`,
  )
}
