import type { RecordHandlerOptions } from '../../consumer/options.ts'
import type { Delays } from '../../../run/context/delays.ts'
import type { Duration, Time } from '../../../base/time.ts'
import type { IdempotentOptions } from '../idempotentOptions.ts'
import type { IdempotencyKey, KeyPart } from '../readKey.ts'
import type { Tracing } from '../../../features/tracing/tracing.ts'

/**
 * Options of `invocationHandler`; `name` and `store` are required. Durations are milliseconds or texts such as `'30s'`, `'15m'`,
 * `'2h'`, `'30d'`. An option that does not exist is refused at once.
 */
export interface InvocationHandlerOptions<Event, Result, Tx = undefined>
  extends
    Pick<
      IdempotentOptions<readonly [event: Event], Result>,
      | ('store' | 'waitForOther' | 'validResponse' | 'classify' | 'onReplay' | 'offload')
      | ('logger' | 'metrics' | 'clock')
    >,
    Pick<RecordHandlerOptions<undefined, Tx>, 'clients' | 'sql'> {
  /** How long before the end of the time of the function `ctx.signal` aborts. Never more than a fifth of the time. Default 1 s. */
  readonly timeoutMargin?: Duration
  /** Stores messages that wait longer than SQS can delay them: `storedDelays()`. Default: none. */
  readonly delays?: Delays
  /** Traces each call that is run: `openTelemetry()` of `lineclear/opentelemetry`. Default: none. */
  readonly tracing?: Tracing
  /**
   * Names the handler in the table, the log and the metrics, and keeps its keys apart from those of other handlers.
   * @example name: 'settlement'
   */
  readonly name: string
  /**
   * What makes two invocations the same one: one value, or several that must all be there. Default: the `Idempotency-Key` header
   * of an HTTP request; the id of an EventBridge event (`aws:EventId` of a Custom Event Bus); else Lambda's request id, which Lambda's own retries keep. A missing key
   * or part is a RejectedError, and 400 to an HTTP request.
   * @example key: ({ schedule, at }) => [schedule, at]
   */
  readonly key?: (event: Event) => IdempotencyKey
  /**
   * Keeps the callers of an HTTP API apart. Default: the caller that the API has authenticated; an HTTP request without one is
   * answered with 500. Other invocations have no caller. `'none'`: all callers share their keys.
   * @example tenant: (event) => event.requestContext.authorizer?.lambda.customerId
   */
  readonly tenant?: ((event: Event) => KeyPart | Promise<KeyPart>) | 'none'
  /**
   * What must be equal when a key comes again; otherwise the invocation is a RejectedError, and 422 to an HTTP request. Default:
   * method, path, query and body of an HTTP request; nothing of other events, because retries may carry other times and counts.
   * @example payload: ({ amount }) => amount
   */
  readonly payload?: (event: Event) => unknown
  /**
   * When the request was made: `ctx.sentAt` in every attempt, and what `newerThan` compares. Default: the time of an EventBridge
   * event, or when a Custom Event Bus accepted it; else when the first attempt began.
   * @example sentAt: ({ at }) => at
   */
  readonly sentAt?: (event: Event) => Time
  /** How long a finished key is remembered, and its result replayed. `'forever'`: for ever. Default 30 days. */
  readonly retention?: Duration | 'forever'
}
