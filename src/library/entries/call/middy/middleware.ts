import type { Context } from 'aws-lambda'
import { toMilliseconds } from '../../../base/options.ts'
import type { Duration } from '../../../base/time.ts'
import { acquire } from '../acquire.ts'
import { idempotencyConfig } from '../config.ts'
import type { IdempotentOptions } from '../idempotentOptions.ts'
import {
  type CallAnswer,
  type FunctionState,
  type CallSettlement,
  outputOrThrow,
} from '../settle.ts'
import { timeLeft } from '../../../protocol/claim/lease.ts'

/** Options of the middy middleware: those of `idempotent`, and one for middy's early timeout. */
export interface IdempotencyOptions<Event, Output> extends IdempotentOptions<
  readonly [event: Event, context: Context],
  Output
> {
  /**
   * middy's early timeout answers while the handler still runs. In this last part of an invocation, an error or an answer that
   * is not stored therefore does not free the key: it stays locked until its lease ends. Set it to at least middy's
   * `timeoutEarlyInMillis`. Default: `'1s'`, or a fifth of the time of an invocation shorter than 5 seconds.
   */
  readonly timeoutMargin?: Duration
}

/** A middleware for middy 6 or later. */
export interface Middleware {
  readonly before: (request: MiddlewareRequest) => Promise<void>
  readonly after: (request: MiddlewareRequest) => Promise<void>
  readonly onError: (request: MiddlewareRequest) => Promise<void>
}

/**
 * `idempotent` as a middy middleware. First in the chain, it stores the answer as all other middlewares have shaped it.
 * Anywhere else it is as safe, and stores the answer as it is at that point. Replays and problem responses skip the middlewares
 * after it; `middy(idempotent(options, handler))` sends them through all middlewares instead.
 * @throws ConfigError at once, naming the option, when an option is wrong
 * @example
 * import middy from '@middy/core'
 * import { dynamoDbStore } from 'lineclear/dynamodb'
 * import { idempotency } from 'lineclear/middy'
 *
 * const store = dynamoDbStore({ tableName: 'lineclear' })
 *
 * export const handler = middy(async (event: APIGatewayProxyEvent) => createPayment(event)).use(
 *   idempotency({ store, name: 'payments' }),
 * )
 */
export function idempotency<Event = unknown, Output = unknown>(
  options: IdempotencyOptions<Event, Output>,
): Middleware {
  const { timeoutMargin, ...own } = { ...options }
  const config = idempotencyConfig<readonly [event: Event, context: Context], Output>(
    'idempotency',
    own,
  )
  const early =
    timeoutMargin === undefined ? undefined : toMilliseconds('timeoutMargin', timeoutMargin)
  const running = new WeakMap<MiddlewareRequest, FollowedRequest>()

  return {
    async before(request) {
      // middy types the event as unknown: the options name its type.
      const [event, context] = [request.event as Event, request.context as Context]
      const acquired = await acquire(config, [event, context], undefined)
      switch (acquired.kind) {
        case 'unprotected':
          return
        case 'throw':
          throw acquired.error
        case 'answer':
          // Assigned, not returned: middy ignores a returned undefined, which may be the answer to replay.
          request.earlyResponse = acquired.output
          return
        case 'run':
          running.set(request, follow(request, acquired.settle, early))
      }
    },
    after: async (request) => {
      const instead = await running.get(request)?.ended()
      if (instead !== undefined) request.response = outputOrThrow(instead)
    },
    onError: async (request) => {
      await running.get(request)?.ended()
    },
  }
}

interface FollowedRequest {
  /**
   * Resolves when the end is stored, or cannot be stored. If another call had taken over the key, it resolves to the answer that
   * must be given instead.
   */
  ended(): Promise<CallAnswer<unknown> | undefined>
}

function follow<Output>(
  request: MiddlewareRequest,
  settlement: CallSettlement<Output>,
  early: number | undefined,
): FollowedRequest {
  let instead: CallAnswer<unknown> | undefined
  const limit = early ?? Math.min(EARLY_MS, (timeLeft(request.context) ?? Infinity) * EARLY_SHARE)
  const stateAfter = (error?: unknown): FunctionState => {
    const left = timeLeft(request.context) ?? Infinity
    return left <= limit || isEarlyTimeout(error) ? 'may still run' : 'has ended'
  }
  const answered = async (value: unknown): Promise<void> => {
    instead = await settlement.succeeded(value as Output, stateAfter())
  }
  const { settle } = watchRequest(request, {
    answered,
    failed: async (error, answer) => {
      if (answer === undefined) await settlement.failed(error, stateAfter(error))
      else await answered(answer.value)
    },
    received: (answer) => (instead === undefined ? answer : outputOrThrow(instead)),
    notStarted: () => settlement.notStarted(),
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

/** The part of middy's request that this middleware uses. */
export interface MiddlewareRequest {
  readonly event: unknown
  readonly context: unknown
  response: unknown
  error: unknown
  earlyResponse?: unknown
}

/** Is called when a request ends. No method rejects, but `received` may throw. */
interface RequestWatcher {
  /** The request failed with this error, the first one. `answer`: the function's own answer, if a later middleware threw. */
  failed(error: unknown, answer: { readonly value: unknown } | undefined): Promise<void>
  /** Another middleware replaced the answer after the function ran, and ended the chain. */
  answered(value: unknown): Promise<void>
  /** @returns what the caller receives instead of this answer, once the end is stored. Throws when that is an error. */
  received(answer: unknown): unknown
  /** Another middleware answered before the function ran. */
  notStarted(): Promise<void>
}

interface WatchedRequest {
  /** Only the first call takes effect; later calls wait for it. */
  settle(how: () => Promise<void>): Promise<void>
}

/**
 * Follows a request through middy, at any position in the chain. The hooks are not enough: a middleware that answers early ends
 * the chain before our hook runs, and an error handler replaces the error before our hook sees it. So `error` and `response`
 * of the request become accessors that report each assignment.
 */
function watchRequest(request: MiddlewareRequest, watcher: RequestWatcher): WatchedRequest {
  let { response, error } = request
  /** The last two values of `response`, because middy clears it before it sets the error. */
  let answers: readonly { readonly value: unknown }[] = []
  let settling: Promise<void> | undefined
  let cut = false
  // @protects a call has one end
  // @without settling = how() @tests test/call/running
  const settle = (how: () => Promise<void>): Promise<void> => (settling ??= how())

  const setError = (value: unknown): void => {
    error = value
    const [answer] = answers.length > 1 ? answers : []
    void settle(() => watcher.failed(value, answer))
  }
  const setResponse = (value: unknown): void => {
    response = value
    cut = 'earlyResponse' in request && request.earlyResponse === value
    if (!cut) answers = [...answers, { value }].slice(-2)
    else void settle(() => (answers.length === 0 ? watcher.notStarted() : watcher.answered(value)))
  }
  // After the chain was cut, middy does not wait for our hooks. It returns this promise instead, and its caller waits for it.
  const getResponse = (): unknown =>
    cut && response !== undefined ? settling?.then(() => watcher.received(response)) : response

  const visible = { configurable: true, enumerable: true }
  Object.defineProperties(request, {
    error: { ...visible, get: () => error, set: setError },
    response: { ...visible, get: getResponse, set: setResponse },
  })
  return { settle }
}
