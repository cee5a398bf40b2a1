import type { RecordContext } from '../../context/context.ts'
import { ConfigError } from '../../base/errors.ts'

/** What a handler may use that has not claimed its request: nothing that has an effect. */
type WithoutEffect =
  | 'uniqueRequestId'
  | 'sentAt'
  | 'attempt'
  | 'retryCount'
  | 'envelope'
  | 'signal'
  | 'logger'
  | 'lambda'
  | 'remainingTime'
  | 'idempotencyKey'
  | 'get'
  | 'defer'

/**
 * The `ctx` of {@link writeHandler}: what has no effect. Another call of `ctx` throws a ConfigError.
 * @example
 * const write = async (order: Order, ctx: ReturningContext) => ({
 *   TableName: 'orders', Key: { orderId: order.orderId }, put: { ...order, seen: ctx.sentAt },
 * })
 */
export type ReturningContext = Pick<RecordContext, WithoutEffect>

/** From JavaScript the other calls can be made. Nothing is done by then, so each of them says so. */
export function returningContext(ctx: RecordContext): ReturningContext {
  const refusing = Object.keys(ctx).map((name) => [name, () => refuse(name)] as const)
  return Object.freeze({ ...Object.fromEntries(refusing), ...withoutEffects(ctx) })
}

function withoutEffects(ctx: RecordContext): ReturningContext {
  const { uniqueRequestId, sentAt, attempt, retryCount, envelope } = ctx
  const { signal, logger, lambda, remainingTime, idempotencyKey, get, defer } = ctx
  return {
    uniqueRequestId,
    sentAt,
    attempt,
    retryCount,
    envelope,
    signal,
    logger,
    lambda,
    remainingTime,
    idempotencyKey,
    get,
    defer,
  }
}

function refuse(name: string): never {
  throw new ConfigError(
    `ctx.${name}: a handler of writeHandler has no effects but the writes that it returns; nothing was done. Return the write, ` +
      `or make the handler with recordHandler.`,
  )
}
