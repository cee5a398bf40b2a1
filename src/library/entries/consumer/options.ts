import type { StandardSchemaV1 } from '@standard-schema/spec'
import type { KnownElsewhere } from './elsewhere.ts'
import type { CircuitBreaker } from '../../features/circuitBreaker/circuit.ts'
import type { Clock } from '../../base/clock.ts'
import type { Delays } from '../../run/context/delays.ts'
import type { Duration, Time } from '../../base/time.ts'
import type { Logger } from '../../base/logger.ts'
import type { EnvelopeFormat } from '../../protocol/record/envelope/envelope.ts'
import type { Message } from '../../protocol/record/message/message.ts'
import type { Metrics } from '../../features/metrics/metrics.ts'
import type { RetryDelays, RetryTransport } from '../../protocol/send/retry.ts'
import type { Offload } from '../../run/context/results/resultStore.ts'
import type { FailureEnd } from '../../run/context/failureEnd.ts'
import type { HandlerResult } from '../../run/context/handlerResult.ts'
import type { RecordContext } from '../../run/context/context.ts'
import type { SqlEffects, SqlOf } from '../../run/context/sqlEffects.ts'
import type { Store } from '../../protocol/store/store.ts'
import type { Clients } from '../../protocol/send/messenger.ts'
import type { Tracing } from '../../features/tracing/tracing.ts'
import type { Settlement } from '../../protocol/claim/settlement.ts'

/**
 * Options of {@link recordHandler}; `name` and `store` are required. Durations are milliseconds or texts such as `'30s'`,
 * `'15m'`, `'2h'`, `'30d'`. An option that does not exist is refused at once.
 */
export interface RecordHandlerOptions<
  Schema extends StandardSchemaV1 | undefined = undefined,
  Tx = undefined,
> {
  /**
   * Names the consumer in the table, the log and the metrics: two consumers of one topic keep their requests apart by it.
   * 1 to 128 letters, digits, `.`, `_` or `-`.
   * @example name: 'orders'
   */
  readonly name: string
  /**
   * Earlier names of a renamed consumer, the oldest first. Its requests stay stored under the oldest name, so that nothing runs
   * twice; the log and the metrics show the new one. Keep them for as long as `retention`. Default: none; a message that a
   * consumer of another name has resent or dead-lettered is then dead-lettered as `wrong consumer`.
   * @example formerNames: ['order-mails']
   */
  readonly formerNames?: readonly string[]
  /**
   * Where lock tokens are stored.
   * @example store: dynamoDbStore({ tableName: process.env['TABLE'] ?? '' })
   */
  readonly store: Store
  /**
   * Any Standard Schema (zod, valibot, arktype), sync or async. It gives the payload its type; a payload that it refuses is
   * dead-lettered at once as `rejected`. Default: none, and the payload is `unknown`.
   * @example schema: z.object({ orderId: z.string() })
   */
  readonly schema?: Schema
  /** `'json'` (default) parses the body; `'text'` gives it to the schema, or to the handler, as it is. */
  readonly parse?: 'json' | 'text'
  /**
   * What the message is unwrapped of: notifications of SNS topics, and events of AWS services, whose identity and time become those
   * of the request. Default: none, because a body that only looks like one could choose its own id. What is sent to the queue
   * itself, and raw message delivery of SNS, need nothing.
   * @example envelopes: [snsTopic(process.env['TOPIC_ARN'] ?? ''), eventBridge({ sources: ['my.shop'] })]
   */
  readonly envelopes?: readonly EnvelopeFormat[]
  /**
   * The request's identity from its payload: two messages with the same id are one request, and it runs once. Default: the
   * attribute `uniquerequestid` that a Lineclear sender has set, else the id of the event that `envelopes` has opened, else the
   * SNS message id, else the SQS message id.
   * @example id: ({ orderId }) => orderId
   */
  readonly id?: (payload: PayloadOf<Schema>) => string
  /**
   * Names of the fields that messages with one `id(payload)` must agree in: one that differs in them is dead-lettered as
   * `conflict`. Default: none; a message whose payload differs at all is dropped as a duplicate with a WARN line and the metric
   * `otherPayload`.
   * @example mustAgree: ['kind', 'amount']
   */
  readonly mustAgree?: readonly FieldOf<PayloadOf<Schema>>[]
  /**
   * Asked before the first claim of a request, while another consumer of the same queue is replaced by this one: whether the other
   * one has done it. `'done'`: dropped as a duplicate. `'running'`: asked again later. `'new'`: it runs here. What it throws counts
   * as `'running'`. It should take what the other one takes, such as its lock: an answer that is only read may be out of date when
   * the request runs. Costs one read of the table more for each message. Default: nothing is asked.
   * @example alreadyDone: async ({ orderId }) => ((await isProcessed(orderId)) ? 'done' : 'new')
   */
  alreadyDone?(
    payload: PayloadOf<Schema>,
    message: Message<unknown>,
  ): KnownElsewhere | Promise<KnownElsewhere>
  /**
   * When the request was made, from its payload: `ctx.sentAt` in every attempt and copy, and what `newerThan` compares, here and
   * at the consumers that the handler sends to. A time after the first sending counts as the first sending. The age of the
   * request (`retry.maxAge`, `retention`) counts from the first sending in any case.
   * Default: the first sending, as the sender stamped it, else the time of the event that `envelopes` has opened, else as SNS or
   * SQS took it; a redrive of SQS loses the last two.
   * @example sentAt: ({ changedAt }) => changedAt
   */
  readonly sentAt?: (payload: PayloadOf<Schema>) => Time
  /** How a failed record is retried. Default: 6 attempts, with exponential delays from 2 s to 15 minutes. */
  readonly retry?: RetryOptions
  /**
   * URL of the dead-letter queue. Default: the queue that the redrive policy of the source queue names, which takes
   * sqs:GetQueueAttributes. `undefined` that is given counts as a missing environment variable: ConfigError.
   */
  readonly deadLetterQueueUrl?: string | undefined
  /**
   * URL of the source queue. Default: made from the ARN in the event, as for records of a queue of another name. `undefined` that is given counts as a missing environment
   * variable: ConfigError.
   */
  readonly queueUrl?: string | undefined
  /** Handlers that run at once, 1 to 1,000; on a FIFO queue, message groups at once. Default 10. */
  readonly concurrency?: number
  /**
   * Whether the event source mapping has `ReportBatchItemFailures`, without which SQS deletes every record of a batch that did
   * not fail as a whole.
   * - `true`: it has. If it has not, records that should stay are lost.
   * - `false`: it has not. A batch with a record that has to stay fails as a whole, after its finished records were deleted
   *   (sqs:DeleteMessage). Each such batch counts as an error of the function.
   * - Default: each process finds out. After records had to stay, its next invocation asks SQS once whether they are still there
   *   (ChangeMessageVisibilityBatch). What the mapping has deleted is sent again from memory, an error is logged, and from then
   *   on it is as with `false`. Records are lost when no such invocation comes while they would be hidden: until their delay is
   *   over, or where they have none, until the end of the function's time.
   *
   * `lineclear doctor` reads the mapping itself.
   */
  readonly reportBatchItemFailures?: boolean
  /**
   * How long a finished request is remembered, and how old a message may be: an older one is dead-lettered as `too old`. At
   * least 1 day. Default 30 days.
   * @example retention: '14d'
   */
  readonly retention?: Duration
  /**
   * How long before the end of the time of the function no record is started any more, and `ctx.signal` aborts. Never more than a
   * fifth of the function's timeout. Default 1 s.
   */
  readonly timeoutMargin?: Duration
  /** Any logger with `debug`, `info`, `warn` and `error`, such as Powertools Logger. Default: `jsonLogger()`, JSON lines. */
  readonly logger?: Logger | undefined
  /** Receives the metrics of each invocation: `emfMetrics()`, or a Powertools Metrics instance that nothing else uses. Default: none. */
  readonly metrics?: Metrics
  /** Traces each message: `openTelemetry()` of `lineclear/opentelemetry`. Default: none, and nothing of it is loaded. */
  readonly tracing?: Tracing
  /**
   * Stops handlers from starting while what they depend on is down: `circuitBreaker({ after: 20, when: isProviderDown })`. Records
   * stay on the queue and count no attempt. Default: none.
   */
  readonly circuitBreaker?: CircuitBreaker | undefined
  /**
   * Stores what waits longer than the 15 minutes of SQS in the table, `ctx.send` and retries, until the sweeper sends it: needs
   * `sweepHandler` on a schedule of one minute. Default: none; `ctx.send` refuses such a delay, a retry stays hidden.
   * @example delays: storedDelays()
   */
  readonly delays?: Delays
  /**
   * Adds `ctx.sql`: effects in a SQL database, each exactly once. Give it to each function of the consumer. Default: none.
   * @example sql: postgresEffects(new Pool({ connectionString: process.env['DATABASE_URL'] }))
   */
  readonly sql?: SqlEffects<Tx>
  /**
   * Where is kept what is too large, such as `s3Objects({ bucket })`: payloads that do not fit into a message, of what the handler
   * sends and of what it receives from senders with the same option, and results of `ctx.call` that do not fit into the table.
   * Default: none. Then a larger message is refused before it is sent, one that comes without its payload is dead-lettered as
   * `rejected`, and a larger result is not stored: see `ctx.call`.
   * @example offload: s3Objects({ bucket: process.env['BUCKET'] ?? '' })
   */
  readonly offload?: Offload
  /**
   * Clients of the SDK, each of which may be left out. Default: made at the first call, with timeouts of 1 s to connect and 5 s for
   * an answer; those of SNS and EventBridge, whose packages are optional, at the first `ctx.publish`.
   * @example clients: { sqs: new SQSClient({ region: 'eu-west-1' }) }
   */
  readonly clients?: Clients | undefined
  /**
   * Called for every delivery once it has settled; `message` is undefined for a record that could not be read. It is not
   * awaited; what it throws or rejects with is logged. Default: none.
   * @example onSettled: ({ kind }, message) => console.log(message?.uniqueRequestId, kind)
   */
  readonly onSettled?: (settlement: Settlement, message: Message<unknown> | undefined) => unknown
  /**
   * Called once for each death of a request, after its dead letter was sent: to report it, or, with `dead: 'final'`, to take back
   * what was made. Its effects go through `ctx`, each once for this death; when it throws, it is retried as the handler is, and
   * given up after as many attempts: then an operator finds the request listed. Until it returns its message stays on the queue.
   * `payload` is undefined when it cannot be read; `end.text` is the body then. Not called for a message that SQS itself has moved,
   * for one that is too old and was never claimed, and for a `conflict`. Default: none.
   * @example
   * onFailure: async (order, ctx, end) => {
   *   await ctx.write('failed', { TableName: 'orders', Key: { id: order?.orderId ?? end.text }, set: { state: end.reason } })
   * }
   */
  onFailure?(
    payload: PayloadOf<Schema> | undefined,
    ctx: RecordContext & SqlOf<Tx>,
    end: FailureEnd,
  ): HandlerResult
  /**
   * Whether a dead letter may be redriven. `'redrivable'` (default): `onFailure` only tells. `'final'`: the death is the end, so that
   * `onFailure` may take back what was made, once the lease of the last attempt is over (the function's timeout), because a call that
   * was cut off may land until then; a letter that is redriven does not run. Only with `onFailure`.
   */
  readonly dead?: 'redrivable' | 'final'
  /** For tests. Default: the system's clock. */
  readonly clock?: Clock | undefined
}

/**
 * When a failed record is attempted again, and when it is dead-lettered instead.
 * @example const retry: RetryOptions = { maxAttempts: 4, delay: ['1s', '1m', '1h'], maxAge: '1d' }
 */
export interface RetryOptions {
  /**
   * Executions, the first one included, 1 to 1,000; then the record is dead-lettered as `exhausted`. An attempt that ended because
   * a table or a queue did not answer does not count. Default 6.
   */
  readonly maxAttempts?: number
  /**
   * Before the next attempt: a duration, a list of them, the last of which repeats, a delay that grows, or a function.
   * Durations and lists are kept exactly. Default: 2 s, doubled each time, at most 15 minutes, spread by 20 %.
   * @example delay: { base: '5s', max: '1h' }
   */
  readonly delay?: RetryDelays
  /**
   * No attempt begins later than this after the first sending: then it is dead-lettered as `too old`. At most, and by default,
   * `retention`.
   */
  readonly maxAge?: Duration
  /**
   * `'resend'` (default): a delayed copy takes the place of the message, whose receipts count from one again. `'visibility'`: the
   * same message stays hidden. FIFO queues and chains of more than 12 hops use `visibility` in any case.
   */
  readonly transport?: RetryTransport
}

/** The options of any consumer. What they call gets what their own schema has accepted. */
export type AnyRecordOptions = RecordHandlerOptions<StandardSchemaV1 | undefined, unknown>

type FieldOf<Payload> = unknown extends Payload ? string : keyof Payload & string

/** The type of the payload that a handler gets: what its schema gives, `unknown` without one. */
export type PayloadOf<Schema extends StandardSchemaV1 | undefined> = Schema extends StandardSchemaV1
  ? StandardSchemaV1.InferOutput<Schema>
  : unknown
