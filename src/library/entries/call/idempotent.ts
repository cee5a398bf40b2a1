import { ConfigError } from '../../base/errors.ts'
import { madeOf } from '../../base/handler.ts'
import type { InvocationContext } from '../../run/context/context.ts'
import { acquire } from './acquire.ts'
import { type IdempotencyConfig, idempotencyConfig } from './config.ts'
import type { IdempotentOptions } from './idempotentOptions.ts'
import { outputOrThrow } from './settle.ts'

/**
 * Wraps an async function or Lambda handler so that it runs once per key, and every later caller with that key gets the first
 * run's answer. Arguments and result keep their types.
 *
 * - A call while the first one runs waits for its answer (`waitForOther`).
 * - A function that throws has not done its work: its key is free again, unless the error says otherwise (`classify`).
 * - A call that is neither run nor answered throws InProgressError, RejectedError, TerminalError, UnknownOutcomeError,
 *   StoreUnavailableError or ConfigError. A handler of HTTP requests answers with problem details (RFC 9457) instead: 400, 409,
 *   410, 422, 500 or 503.
 * A function that needs `ctx` is wrapped by `invocationHandler`.
 * @throws ConfigError at once, naming the option, when an option is wrong
 * @example
 * import { idempotent } from 'lineclear'
 * import { dynamoDbStore } from 'lineclear/dynamodb'
 *
 * const store = dynamoDbStore({ tableName: 'lineclear' })
 *
 * // An HTTP handler: the key is the Idempotency-Key header, the tenant is the authenticated caller.
 * export const handler = idempotent(
 *   { store, name: 'payments' },
 *   async (event: APIGatewayProxyEvent, _context: Context) => createPayment(event),
 * )
 *
 * // Any function: the options say what the key is.
 * const shipOnce = idempotent(
 *   { store, name: 'shipments', key: (order: Order) => order.orderId },
 *   async (order: Order) => ship(order),
 * )
 */
export function idempotent<Fn extends (...args: never[]) => unknown>(
  options: IdempotentOptions<Parameters<Fn>, Awaited<ReturnType<Fn>>>,
  fn: Fn,
): (...args: Parameters<Fn>) => Promise<Awaited<ReturnType<Fn>>>
export function idempotent<Args extends readonly unknown[], Returned>(
  options: IdempotentOptions<Args, Awaited<Returned>>,
  fn: (...args: Args) => Returned,
): (...args: Args) => Promise<Awaited<Returned>> {
  if (typeof fn !== 'function') {
    throw new ConfigError(
      `idempotent: expected the second argument to be a function; got ${typeof fn}`,
    )
  }
  refuseStreaming('idempotent', fn)
  const config = idempotencyConfig('idempotent', options)
  const wrapped = oncePerKey(config, fn, (args: Args, _ctx, self) => Reflect.apply(fn, self, args))
  return madeOf(wrapped, { call: 'idempotent', name: options.name } satisfies CallParts)
}

/** @throws ConfigError */
export function refuseStreaming(where: string, fn: object): void {
  if (!(STREAMING in fn)) return
  throw new ConfigError(
    `${where}: a streaming handler (awslambda.streamifyResponse) writes its answer to a stream, which cannot be stored and ` +
      'replayed: wrap a function that returns its answer',
  )
}

/**
 * @param fn the wrapped function: its identity, and how many arguments it takes
 * @param run calls it as a method of `self`; `ctx` is undefined unless `config` has a source of it
 */
export function oncePerKey<Args extends readonly unknown[], Returned>(
  config: IdempotencyConfig<Args, Awaited<Returned>>,
  fn: (...args: never[]) => unknown,
  run: (args: Args, ctx: InvocationContext | undefined, self: unknown) => Returned,
): (...args: Args) => Promise<Awaited<Returned>> {
  return async function (this: unknown, ...args): Promise<Awaited<Returned>> {
    const acquired = await acquire(config, args, fn)
    if (acquired.kind === 'unprotected') return await run(args, undefined, this)
    if (acquired.kind !== 'run') return outputOrThrow(acquired)
    const { settle, opened } = acquired
    let output: Awaited<Returned>
    try {
      output = await (opened === undefined
        ? run(args, undefined, this)
        : opened.run(() => run(args, opened.ctx, this)))
    } catch (error) {
      const instead = await settle.failed(error)
      if (instead !== undefined) return outputOrThrow(instead)
      throw error
    }
    const instead = await settle.succeeded(output)
    return instead === undefined ? output : outputOrThrow(instead)
  }
}

/** What a function of `idempotent` and of `invocationHandler` carries, see `madeOf`. */
export interface CallParts {
  /** The name of the wrapper. */
  readonly call: string
  readonly name: string | undefined
}

/** Set by `awslambda.streamifyResponse` on its handler. */
const STREAMING = Symbol.for('aws.lambda.runtime.handler.streaming')
