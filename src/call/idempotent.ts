import { ConfigError } from '../base/errors.ts'
import { madeOf } from '../base/handler.ts'
import type { Context } from 'aws-lambda'
import type { InvocationContext } from '../context/context.ts'
import type { SqlOf } from '../context/sqlEffects.ts'
import { acquire } from './acquire.ts'
import { type CheckedOptions, idempotencyConfig } from './config.ts'
import type { EffectOptions, IdempotentOptions } from './idempotentOptions.ts'
import type { CallAnswer } from './settle.ts'

/**
 * Wraps an async function or Lambda handler so that it runs once per key, and every later caller with that key gets the first
 * run's answer. Arguments and result keep their types.
 *
 * - A call while the first one runs waits for its answer (`waitForOther`).
 * - A function that throws has not done its work: its key is free again, unless the error says otherwise (`classify`).
 * - A call that is neither run nor answered throws InProgressError, RejectedError, TerminalError, UnknownOutcomeError,
 *   StoreUnavailableError or ConfigError. A handler of HTTP requests answers with problem details (RFC 9457) instead: 400, 409,
 *   410, 422, 500 or 503.
 * @throws ConfigError at once, naming the option, when an option is wrong
 * @example
 * import { idempotent } from 'lineclear'
 * import { dynamoDbStore } from 'lineclear/dynamodb'
 *
 * const store = dynamoDbStore({ tableName: 'lineclear' })
 *
 * // An HTTP handler: the key is the Idempotency-Key header, the tenant is the authenticated caller.
 * export const handler = idempotent(
 *   { store, scope: 'payments' },
 *   async (event: APIGatewayProxyEvent, _context: Context) => createPayment(event),
 * )
 *
 * // Any function: the options say what the key is.
 * const shipOnce = idempotent(
 *   { store, scope: 'shipments', key: (order: Order) => order.orderId },
 *   async (order: Order) => ship(order),
 * )
 *
 * // With `effects` the function has one input, and `ctx`: what it does through `ctx` happens once per key, too.
 * const bookOnce = idempotent(
 *   { store, scope: 'bookings', key: (order: Order) => order.orderId, effects: callEffects() },
 *   async (order: Order, ctx) => {
 *     await ctx.applyOnce('book', { TableName: 'sums', Key: { sku: order.sku }, add: { cents: order.total } })
 *   },
 * )
 */
export function idempotent<Input, Returned, Tx>(
  options: IdempotentOptions<InputAndContext<Input>, Awaited<Returned>> & EffectOptions<Tx>,
  fn: (input: Input, ctx: InvocationContext & SqlOf<Tx>) => Returned,
): (...args: InputAndContext<Input>) => Promise<Awaited<Returned>>
export function idempotent<Fn extends (...args: never[]) => unknown>(
  options: IdempotentOptions<Parameters<Fn>, Awaited<ReturnType<Fn>>>,
  fn: Fn,
): (...args: Parameters<Fn>) => Promise<Awaited<ReturnType<Fn>>>
export function idempotent<Args extends readonly unknown[], Returned>(
  options: IdempotentOptions<Args, Awaited<Returned>>,
  fn: (...args: Args) => Returned,
): (...args: Args) => Promise<Awaited<Returned>> {
  return oncePerKey('idempotent', options, fn)
}

type InputAndContext<Input> = [input: Input, context?: Context]

/**
 * @param where how errors name the wrapper
 * @param fn takes `(input, ctx)` when the options have `effects`
 * @throws ConfigError
 */
export function oncePerKey<Args extends readonly unknown[], Returned>(
  where: string,
  options: CheckedOptions<Args, Awaited<Returned>>,
  fn: (...args: Args) => Returned,
): (...args: Args) => Promise<Awaited<Returned>> {
  if (typeof fn !== 'function') {
    throw new ConfigError(
      `${where}: expected the second argument to be a function; got ${typeof fn}`,
    )
  }
  if (STREAMING in fn) {
    throw new ConfigError(
      `${where}: a streaming handler (awslambda.streamifyResponse) writes its answer to a stream, which cannot be stored and ` +
        'replayed: wrap a function that returns its answer',
    )
  }
  const config = idempotencyConfig(where, options)
  if (options.effects !== undefined && options.when !== undefined) {
    throw new ConfigError(
      `${where}: when: a call without a key has no ctx: leave out when, or effects`,
    )
  }
  const wrapped = async (...args: Args): Promise<Awaited<Returned>> => {
    const acquired = await acquire(config, args, fn)
    if (acquired.kind === 'unprotected') return await fn(...args)
    if (acquired.kind !== 'run') return unwrap(acquired)
    const { settle, opened } = acquired
    let output: Awaited<Returned>
    try {
      // The types of the two forms of `idempotent` say which one gets `ctx`.
      const withContext = fn as unknown as (
        input: unknown,
        ctx: InvocationContext,
      ) => Awaited<Returned>
      output =
        opened === undefined
          ? await fn(...args)
          : await opened.run(() => withContext(args[0], opened.ctx))
    } catch (error) {
      const instead = await settle.failed(error)
      if (instead !== undefined) return unwrap(instead)
      throw error
    }
    const instead = await settle.succeeded(output)
    return instead === undefined ? output : unwrap(instead)
  }
  return madeOf(wrapped, { call: where, scope: options.scope } satisfies CallParts)
}

/** What a function of `idempotent` and of `invocationHandler` carries, see `madeOf`. */
export interface CallParts {
  /** The name of the wrapper. */
  readonly call: string
  readonly scope: string | undefined
}

function unwrap<Output>(answer: CallAnswer<Output>): Output {
  if (answer.kind === 'throw') throw answer.error
  return answer.output
}

/** Set by `awslambda.streamifyResponse` on its handler. */
const STREAMING = Symbol.for('aws.lambda.runtime.handler.streaming')
