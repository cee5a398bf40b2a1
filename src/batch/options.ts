import type { SNSClient } from '@aws-sdk/client-sns'
import type { SQSClient } from '@aws-sdk/client-sqs'
import type { StandardSchemaV1 } from '@standard-schema/spec'
import type { Clock } from '../clock.ts'
import type { Duration } from '../duration.ts'
import type { Logger } from '../logger.ts'
import type { Message } from '../record/message/message.ts'
import type { Metrics } from '../metrics/metrics.ts'
import type { RetryDelays } from '../queue/retryDelay.ts'
import type { RetryTransport } from '../queue/transport.ts'
import type { ResultStore } from '../context/results/resultStore.ts'
import type { Store } from '../store/store.ts'
import type { Time } from '../time.ts'
import type { Settlement } from '../claim/settlement.ts'

export interface RecordHandlerOptions<Schema extends StandardSchemaV1 | undefined = undefined> {
  /** Names the consumer: two consumers of one topic keep their requests apart by it. Letters, digits, `.`, `_`, `-`. */
  readonly name: string
  /**
   * What it was named before, the oldest name first. Requests stay under the oldest of its names, so that what was begun
   * before goes on, and nothing is done twice; log and metrics show the new one. Keep them for as long as `retention`.
   * Default: none; messages that another consumer has re-sent or dead-lettered are dead-lettered as `wrong consumer`.
   */
  readonly formerNames?: readonly string[]
  /**
   * Several functions that read several queues are this one consumer: a request that comes to two of them is run once. Default
   * false: it is taken for a mistake, and dead-lettered as `conflict`; one function may read several queues all the same.
   */
  readonly sharedName?: boolean
  readonly store: Store
  /** Any Standard Schema, sync or async. A payload it refuses is dead-lettered at once. Default: none, payload `unknown`. */
  readonly schema?: Schema
  /** `json` (default) parses the body; `text` hands it on as it is. */
  readonly parse?: 'json' | 'text'
  /** ARNs of the SNS topics whose notifications are opened, or `'any'`. Default: none is; it would choose its own id. */
  readonly topics?: readonly string[] | 'any'
  /** The request's identity, from its payload, unless the sender stamped one. Default: the SNS id, else the SQS id. */
  readonly id?: (payload: PayloadOf<Schema>) => string
  /**
   * When the request was made, by the payload: `ctx.sentAt` in every attempt and copy, whatever the order in which queues
   * took and brought it; what `newerThan` goes by, here and at those that it sends to. A time later than the first sending
   * counts as that. Its age (`retry.maxAge`, `retention`) counts from the first sending all the same.
   * Default: the time of the first sending, as stamped by the sender, else of SNS, else of SQS. SQS's own redrive loses the
   * last two.
   * @example sentAt: ({ changedAt }) => changedAt
   */
  readonly sentAt?: (payload: PayloadOf<Schema>) => Time
  readonly retry?: RetryOptions
  /** Where exhausted and refused records go. Default: the queue that the redrive policy of the source names. */
  readonly deadLetterQueueUrl?: string | undefined
  /** Default: made from the ARN in the event. Given and `undefined`, it is a missing environment variable: ConfigError. */
  readonly queueUrl?: string | undefined
  /** Handlers at once, 1 to 1,000. Default 10. FIFO: groups at once. */
  readonly concurrency?: number
  /**
   * Whether the event source mapping has `ReportBatchItemFailures`. False: a batch of which a record has to stay on the
   * queue is failed as a whole, after what is finished was deleted (sqs:DeleteMessage), so that nothing is lost; each such
   * batch counts as an error of the function. True: taken for granted; if the mapping does not have it, SQS deletes what has to
   * stay. Default: each process finds out, by one ChangeMessageVisibilityBatch for records that had to stay, in the next
   * invocation in which they are surely hidden. What the mapping has deleted is then sent again from memory, an error is
   * logged, and from there on it is as with false. Records are lost where the process ends before such an invocation.
   * `lineclear doctor` sees the mapping itself.
   */
  readonly reportBatchItemFailures?: boolean
  /** How long a finished request is remembered, and how old a message may be. Default 30 days. */
  readonly retention?: Duration
  /** Time kept back at the end of the invocation: no record is begun and `ctx.signal` aborts. Default 1 s. */
  readonly reserve?: Duration
  /** Structural: Powertools Logger fits. Default: JSON lines. */
  readonly logger?: Logger
  /** Figures of every invocation: `emfMetrics()`, or an instance of Powertools Metrics of its own. Default: none. */
  readonly metrics?: Metrics
  /** Takes results of `ctx.once` that are too large for the table, such as `s3Results({ bucket })`. Default: none. */
  readonly results?: ResultStore
  readonly sqs?: SQSClient
  readonly sns?: SNSClient
  /** Told of every record, once it has settled. It is not waited for; what it throws or rejects with is logged. */
  readonly onSettled?: (settlement: Settlement, message: Message<unknown> | undefined) => unknown
  /** For tests. */
  readonly clock?: Clock
}

export interface RetryOptions {
  /** Executions, the first one included; 1 or more. Default 6. */
  readonly maxAttempts?: number
  /**
   * Before the next attempt: a time, a list of times, the last of which stays, or a function such as `exponential()`, which is
   * the default: 2 s, doubled each time, at most 15 minutes, spread by 20 %. Times and lists are kept as they are.
   * @example ['1s', '1m', '1h']
   */
  readonly delay?: RetryDelays
  /** No execution later than this after the first sending. Default: the retention. */
  readonly maxAge?: Duration
  /** `resend` (default): a delayed copy; FIFO queues and long chains use `visibility` all the same. */
  readonly transport?: RetryTransport
  /** How a copy is built. `transparent` (default): body unchanged. `wrapped`: original inside, for up to 10 attributes. */
  readonly form?: 'transparent' | 'wrapped'
}

export type PayloadOf<Schema extends StandardSchemaV1 | undefined> = Schema extends StandardSchemaV1
  ? StandardSchemaV1.InferOutput<Schema>
  : unknown
