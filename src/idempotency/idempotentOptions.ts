import type { Duration } from '../duration.ts'
import type { Store } from '../store/store.ts'
import type { FailureClass } from './classify.ts'
import type { Expression } from './expression.ts'
import type { KeyOptions } from './keyConfig.ts'
import type { IdempotencyKey, KeyPart } from './readKey.ts'

/** Default retention: 24 h. */
export interface IdempotentOptions<Args extends readonly unknown[], Output> extends KeyOptions {
  readonly store: Store
  /**
   * What makes two calls the same call: a text, or several parts. Default: the `Idempotency-Key` header of an HTTP request.
   * A part that is missing is an error, and 400 to an HTTP request.
   */
  readonly key?: ((...args: Args) => IdempotencyKey | Promise<IdempotencyKey>) | Expression
  /** `sha256` (default): the key is stored as a hash. `plain`: as it is, to be found by eye. */
  readonly hash?: 'sha256' | 'plain'
  /**
   * Keeps functions apart, such as `'refunds'`. Required, except for the one handler of a Lambda, whose scope is by default
   * the name of the Lambda.
   */
  readonly scope?: string
  /**
   * Keeps callers apart. Default: the caller that the front of the API recognised: a JWT or Lambda authorizer, Cognito, IAM,
   * a client certificate, an API key; the sign-in of an ALB; the IAM principal of VPC Lattice. A request without one is
   * refused with 500, since two callers who choose one key would get each other's answer. `'none'`: all callers share their keys.
   */
  readonly tenant?: ((...args: Args) => KeyPart | Promise<KeyPart>) | Expression | 'none'
  /**
   * The shortest time that a call holds its key; Lambda's remaining time counts when it is longer, so that nobody takes over
   * from a call that runs. Where the remaining time is not known the key is held for as long as the call runs, and for this
   * time after its process has died. Default: the remaining time, or 15 minutes when that is not known.
   */
  readonly lockTtl?: Duration
  /**
   * How long a caller waits for the call that holds its key, to answer as that one does. Default 10 s, at most what is left
   * of the invocation; events of queues, streams and buses never wait.
   */
  readonly waitForOther?: Duration
  /** Whether an answer is worth keeping; else the key is free again. Default: 2xx for HTTP requests, all for others. */
  readonly validResponse?: ((output: Output) => boolean | Promise<boolean>) | Expression
  /**
   * What must be the same when a key comes again; else it is an error, and 422 to an HTTP request. Default: method, path,
   * query and body of an HTTP request, the first argument of other calls when it is plain data. Bodies of up to 64 KB that
   * are JSON are compared by content, longer ones as they are written. `'ignore'`: nothing.
   */
  readonly payload?: ((...args: Args) => unknown) | Expression | 'ignore'
  /** What an error says of the work; undefined: as by default. TerminalError is kept and replayed, UnknownOutcomeError is
   * parked, after any other the key is free again. */
  readonly classify?: (
    error: unknown,
  ) => FailureClass | undefined | Promise<FailureClass | undefined>
  /** Replays to HTTP requests carry the header `x-idempotency-from`, the time of the first run. Default true. */
  readonly replayHeader?: boolean
  /** @deprecated Use `replayHeader`. */
  readonly markReplay?: boolean
  /** Has the last word on a replay. `from`: when the first run began, ISO-8601. */
  readonly onReplay?: (output: Output, first: { readonly from: string }) => Output | Promise<Output>
  /** False: this call is run without protection, such as a GET behind the same handler. Default: all are protected. */
  readonly when?: (...args: Args) => boolean | Promise<boolean>
}
