import { ConfigError } from '../errors.ts'
import { acquire } from './acquire.ts'
import { idempotencyConfig } from './config.ts'
import type { IdempotentOptions } from './idempotentOptions.ts'
import type { CallAnswer } from './settle.ts'

/**
 * Makes any async function, or Lambda handler, act once per key and give every later caller the first one's answer. Types
 * are kept: arguments and result are those of `fn`. A second call while the first runs waits for its answer; what cannot be
 * run is told apart by its error (`IN_PROGRESS`, `REJECTED`, …), and as a problem response (RFC 9457) to HTTP requests: 400,
 * 409, 410, 422, 500, 503.
 *
 * A function that throws has not done its work: its key is free again, unless the error says otherwise (`classify`).
 * @throws ConfigError at once, naming the option, when an option is wrong
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
  if (STREAMING in fn) {
    throw new ConfigError(
      'idempotent: a streaming handler (awslambda.streamifyResponse) writes its answer to a stream, of which nothing can be kept ' +
        'for the second caller: wrap a function that returns its answer',
    )
  }
  const config = idempotencyConfig('idempotent', options)
  return async (...args): Promise<Awaited<Returned>> => {
    const acquired = await acquire(config, args, fn)
    if (acquired.kind === 'unprotected') return await fn(...args)
    if (acquired.kind !== 'run') return give(acquired)
    const { settle } = acquired
    let output: Awaited<Returned>
    try {
      output = await fn(...args)
    } catch (error) {
      const instead = await settle.failed(error)
      if (instead !== undefined) return give(instead)
      throw error
    }
    const instead = await settle.succeeded(output)
    return instead === undefined ? output : give(instead)
  }
}

function give<Output>(answered: CallAnswer<Output>): Output {
  if (answered.kind === 'throw') throw answered.error
  return answered.output
}

/** What `awslambda.streamifyResponse` leaves on the handler, for the runtime. */
const STREAMING = Symbol.for('aws.lambda.runtime.handler.streaming')
