import type { Context } from 'aws-lambda'
import { type Duration, toMilliseconds } from '../../duration.ts'
import { acquire } from '../acquire.ts'
import { idempotencyConfig } from '../config.ts'
import type { IdempotentOptions } from '../idempotentOptions.ts'
import type { CallAnswer, FunctionState, CallSettlement } from '../settle.ts'
import { timeLeft } from '../../claim/token/lease.ts'
import { type MiddlewareRequest, watchRequest } from './watchRequest.ts'

export type { MiddlewareRequest } from './watchRequest.ts'

export interface IdempotencyOptions<Event, Output> extends IdempotentOptions<
  readonly [event: Event, context: Context],
  Output
> {
  /**
   * In the last part of an invocation an error, or an answer that is not kept, may be middy's early timeout while the handler
   * still runs: the key is left to its lease then. At least middy's `timeoutEarlyInMillis`. Default 1 s, or a fifth of the
   * time of a shorter invocation.
   */
  readonly timeoutEarly?: Duration
}

/** A middleware of middy 6 or later. */
export interface Middleware {
  readonly before: (request: MiddlewareRequest) => Promise<void>
  readonly after: (request: MiddlewareRequest) => Promise<void>
  readonly onError: (request: MiddlewareRequest) => Promise<void>
}

/**
 * Makes a Lambda handler act once per key, as `idempotent` does, in a chain of middlewares. First in the chain it keeps what
 * all others have made of the answer. Anywhere else it is as safe, and keeps what has come as far as it. Replays and problem
 * responses are given without running what comes behind it; `middy(idempotent(options, handler))` sends them through all others.
 * @throws ConfigError at once, naming the option, when an option is wrong
 */
export function idempotency<Event = unknown, Output = unknown>(
  options: IdempotencyOptions<Event, Output>,
): Middleware {
  const { timeoutEarly, ...own } = options
  const config = idempotencyConfig<readonly [event: Event, context: Context], Output>(
    'idempotency',
    own,
  )
  const early =
    timeoutEarly === undefined ? undefined : toMilliseconds('timeoutEarly', timeoutEarly)
  const running = new WeakMap<MiddlewareRequest, FollowedRequest>()

  return {
    async before(request) {
      // middy knows the event as unknown; that it is one of this handler's is what the options are written for.
      const [event, context] = [request.event as Event, request.context as Context]
      const acquired = await acquire(config, [event, context], undefined)
      switch (acquired.kind) {
        case 'unprotected':
          return
        case 'throw':
          throw acquired.error
        case 'answer':
          // Not returned: middy takes undefined for no answer, and it may well be the one to replay.
          request.earlyResponse = acquired.output
          return
        case 'run':
          running.set(request, follow(request, acquired.settle, early))
      }
    },
    after: async (request) => {
      const instead = await running.get(request)?.ended()
      if (instead?.kind === 'throw') throw instead.error
      if (instead?.kind === 'answer') request.response = instead.output
    },
    onError: async (request) => {
      await running.get(request)?.ended()
    },
  }
}

interface FollowedRequest {
  /** Resolves when the end of the run is stored, or cannot be; to what is given instead when another one had taken over. */
  ended(): Promise<CallAnswer<unknown> | undefined>
}

function follow<Output>(
  request: MiddlewareRequest,
  run: CallSettlement<Output>,
  early: number | undefined,
): FollowedRequest {
  let instead: CallAnswer<unknown> | undefined
  const limit = early ?? Math.min(EARLY_MS, (timeLeft(request.context) ?? Infinity) * EARLY_SHARE)
  const rest = (error?: unknown): FunctionState => {
    const left = timeLeft(request.context) ?? Infinity
    return left <= limit || isEarlyTimeout(error) ? 'may still run' : 'has ended'
  }
  const answered = async (value: unknown): Promise<void> => {
    instead = await run.succeeded(value as Output, rest())
  }
  const { settle } = watchRequest(request, {
    answered,
    failed: async (error, answer) => {
      if (answer === undefined) await run.failed(error, rest(error))
      else await answered(answer.value)
    },
    notStarted: () => run.notStarted(),
  })
  return {
    async ended() {
      await settle(() => answered(request.response))
      return instead
    },
  }
}

const EARLY_MS = 1_000
const EARLY_SHARE = 0.2

function isEarlyTimeout(error: unknown): boolean {
  return (
    error instanceof Error &&
    error.name === 'TimeoutError' &&
    typeof error.cause === 'object' &&
    error.cause !== null &&
    'package' in error.cause &&
    error.cause.package === '@middy/core'
  )
}
