import type { KnownElsewhere } from '../consumer/elsewhere.ts'
import type { Duration } from '../../base/time.ts'
import type { Store } from '../../protocol/store/store.ts'
import type { FailureClass } from './classify.ts'
import type { Expression, IdempotencyKey, KeyPart } from './readKey.ts'
import type { KeyOptions } from './keyConfig.ts'

/** Options of `idempotent` and the middy middleware. Durations are texts such as `'90s'` or `'24h'`, or milliseconds. */
export interface IdempotentOptions<Args extends readonly unknown[], Output> extends KeyOptions {
  /** Where keys and results are stored, such as `dynamoDbStore({ tableName })`. */
  readonly store: Store
  /**
   * What makes two calls the same call: one value, or several that must all be there. Default: the `Idempotency-Key` header of
   * an HTTP request. A missing key or part is a RejectedError, and 400 to an HTTP request.
   * @example (order) => [order.customerId, order.orderId]
   */
  readonly key?: ((...args: Args) => IdempotencyKey | Promise<IdempotencyKey>) | Expression
  /** How the key is stored. `sha256` (default): as a hash. `plain`: readable, so that you can find it in the table. */
  readonly hash?: 'sha256' | 'plain'
  /**
   * Keeps functions on one table apart, such as `'refunds'`. Required, except for the one handler of a Lambda: its default is
   * the name of the Lambda.
   */
  readonly name?: string
  /**
   * Keeps callers apart, so that two callers with the same key do not get each other's answer. Default: the caller that the
   * API has authenticated: by a JWT or Lambda authorizer, Cognito, IAM or a client certificate; by IAM at VPC Lattice. An HTTP
   * request without one, such as each request behind an ALB, is answered with 500. `'none'`: all callers share their keys.
   * @example (event) => event.requestContext.authorizer?.lambda.customerId
   */
  readonly tenant?: ((...args: Args) => KeyPart | Promise<KeyPart>) | Expression | 'none'
  /**
   * The shortest lease. A call holds its key for this time or for Lambda's remaining time, whichever is longer, so that no
   * other call takes over while it runs. The lease of a call that runs on after its time, or whose time is not known, is renewed
   * while it runs, and ends this time after its process has died. Default: the remaining time, then 30 seconds; 15 minutes where
   * the time is not known.
   */
  readonly lease?: Duration
  /**
   * How long a call waits for another one that holds its key, to return the same answer. Default: `'10s'`, and never more
   * than what the invocation has left. Events of queues, streams and buses never wait.
   */
  readonly waitForOther?: Duration
  /**
   * Whether an answer is stored and replayed; otherwise the key is freed. Default: answers with a 2xx status for HTTP
   * requests, every answer for other calls.
   */
  readonly validResponse?: ((output: Output) => boolean | Promise<boolean>) | Expression
  /**
   * What must be equal when a key is used again; otherwise the call is a RejectedError, and 422 to an HTTP request. Default:
   * method, path, query and body of an HTTP request; the first argument of other calls, and a call whose first argument cannot be
   * compared (a class instance, a function) is refused. JSON bodies of up to 65,536 characters are compared by content, longer
   * ones as text. `'ignore'`: nothing is compared.
   * @example (order) => [order.amount, order.currency]
   */
  readonly payload?: ((...args: Args) => unknown) | Expression | 'ignore'
  /**
   * Asked before the first claim of a key, while another function with keys of its own is replaced by this one: whether that one
   * has done it. `'done'`: nothing is run, and the caller gets a TerminalError, or 410: its answer is not known here. `'running'`:
   * InProgressError, or 409. `'new'`: it runs here. What it throws is a StoreUnavailableError, or 503, and nothing is run. It should
   * take what the other one takes, such as its lock: an answer that is only read may be out of date when the function runs. Costs
   * one read of the table for each call. Default: nothing is asked.
   * @example alreadyDone: async (order) => ((await isProcessed(order.orderId)) ? 'done' : 'new')
   */
  readonly alreadyDone?: (...args: Args) => KnownElsewhere | Promise<KnownElsewhere>
  /**
   * What an error of the function says about its work; `undefined` keeps the default. Default: TerminalError is stored and
   * replayed, UnknownOutcomeError parks the key for an operator, and any other error frees the key.
   */
  readonly classify?: (
    error: unknown,
  ) => FailureClass | undefined | Promise<FailureClass | undefined>
  /** Changes the answer that is replayed. `from`: when the first run began, ISO-8601. Default: unchanged. */
  readonly onReplay?: (output: Output, first: { readonly from: string }) => Output | Promise<Output>
  /**
   * Which calls are protected; the others run without a key. Default: all, but the OPTIONS preflight of a browser.
   * @example (event) => event.httpMethod === 'POST'
   */
  readonly when?: (...args: Args) => boolean | Promise<boolean>
}
