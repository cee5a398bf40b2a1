import type { SNSClient } from '@aws-sdk/client-sns'
import type { SQSClient } from '@aws-sdk/client-sqs'
import type { StandardSchemaV1 } from '@standard-schema/spec'
import type { RecordHandlerOptions, RetryOptions } from '../batch/options.ts'
import type { Clock } from '../clock.ts'
import type { Duration } from '../duration.ts'
import type { Logger } from '../logger.ts'
import type { Metrics } from '../metrics/metrics.ts'
import type { ResultStore } from '../context/results/resultStore.ts'
import type { OnConflict } from '../claim/stage/stageMessage.ts'
import type { Order } from '../claim/stage/stageRecord.ts'
import type { Store } from '../store/store.ts'
import type { Time } from '../time.ts'

/** One step of a flow, usually one Lambda with a queue of its own. */
export interface StageOptions {
  /** Any Standard Schema. */
  readonly schema: StandardSchemaV1
  /** Where `ctx.send` to this stage puts its messages. The first stage needs none when nobody in the flow sends to it. */
  readonly queueUrl?: string | undefined
  /** Nothing comes after it: its handler cannot send to another stage. */
  readonly final?: true
  /** ARNs of the SNS topics whose notifications are opened, or `'any'`. */
  readonly topics?: readonly string[] | 'any'
  readonly deadLetterQueueUrl?: string | undefined
  /** Handlers at once, 1 to 1,000. Default 10. */
  readonly concurrency?: number
  /**
   * Names that this stage had before: runs that began under one of them go on under it, with their effects and ids. Leave a
   * name here until the last such run has ended, and its dead letters are sent back or given up. Default: none.
   * @example { bill: { schema: Bill, queueUrl, formerNames: ['charge'] } }
   */
  readonly formerNames?: readonly string[]
}

/** What a flow waits for from outside. */
export interface AwaitOptions<Schema extends StandardSchemaV1 = StandardSchemaV1> {
  /** Of the Complete message. */
  readonly schema: Schema
  /** The id by which the other side knows the work, as it was given to `ctx.awaitStep`. */
  id(payload: StandardSchemaV1.InferOutput<Schema>): string
  /** Where Complete messages arrive. Needed for timeouts and for `answer`. */
  readonly queueUrl?: string | undefined
  /** How long to wait for an answer, unless `ctx.awaitStep` says otherwise. Default: as long as the flow may run. */
  readonly timeout?: Duration
  /** How long an answer that nobody waits for yet is kept before it is dead-lettered. Default 5 minutes. */
  readonly grace?: Duration
  readonly topics?: readonly string[] | 'any'
  readonly deadLetterQueueUrl?: string | undefined
  readonly concurrency?: number
  /** Names that this step had before: as those of a stage. */
  readonly formerNames?: readonly string[]
}

export type StagesOptions = Readonly<Record<string, StageOptions>>
/** By the name of the step. */
export type Answers = Readonly<Record<string, StandardSchemaV1>>
declare const NO_STEP: unique symbol
/** A flow that waits for nothing: no text is the name of a step. */
export type NoAnswers = {
  readonly [NO_STEP]?: never
}

export interface FlowOptions<Stages extends StagesOptions, Awaited extends Answers> {
  /** Letters, digits, `.`, `_`, `-`. Names the flow in the table and in the log. */
  readonly name: string
  /**
   * Several functions that read several queues run the first stage of this one flow. Default false: it is taken for a mistake,
   * and what one of them would drop because of the other is dead-lettered as `conflict`; one function may read several queues
   * all the same.
   */
  readonly sharedName?: boolean
  readonly store: Store
  /** The first one starts the flow; a stage that sends to no other one ends it. */
  readonly stages: Stages
  /** Answers from outside that the flow waits for. */
  readonly awaits?: { readonly [Name in keyof Awaited]: AwaitOptions<Awaited[Name]> }
  /** The object that the flow works on, such as `cart/123`: one request at a time has it. From any stage's payload. */
  key(payload: AnyPayload<Stages>): string
  /** `newest` (default): only the newest state of a key matters. `every`: each request must run. */
  readonly order?: Order
  /**
   * What becomes of a request that finds its key held by another: `defer` (default) waits, `drop` is refused for good,
   * `supersede` takes over when newer, `coalesce` lets only the newest wait. The last two exist with `order: 'newest'`.
   */
  readonly onConflict?: OnConflict
  /** From its first sending on a request may run so long; then it is dead and its key free. Default 1 day. */
  readonly giveUpAfter?: Duration
  /** The request's identity, from the first stage's payload, unless the sender stamped one. Needs `sentAt`. */
  id?(payload: AnyPayload<Stages>): string
  /**
   * When the request was made: what `newest` and `newerThan(ctx.sentAt)` go by. It must be the same in every copy of a
   * request. Default: when SNS or SQS took the first copy, so that the order is that of the queue, not that of the senders.
   * @example sentAt: ({ changedAt }) => changedAt
   */
  sentAt?(payload: AnyPayload<Stages>): Time
  readonly retry?: Omit<RetryOptions, 'maxAge'>
  /** How long late duplicates are recognised. Default 30 days. */
  readonly retention?: Duration
  readonly reserve?: Duration
  /** Of the mappings of its stages and steps, as for `recordHandler`. Default: each process finds out. */
  readonly reportBatchItemFailures?: boolean
  readonly logger?: Logger
  /** Figures of every invocation: `emfMetrics()`, or an instance of Powertools Metrics of its own. Default: none. */
  readonly metrics?: Metrics
  /** Takes results of `ctx.once` of more than 350 KB, such as `s3Results({ bucket })`. Default: none. */
  readonly results?: ResultStore
  readonly sqs?: SQSClient
  readonly sns?: SNSClient
  /** Told of every record of every stage, once it has settled. Must not throw. */
  readonly onSettled?: RecordHandlerOptions['onSettled']
  /** For tests. */
  readonly clock?: Clock
}

export type PayloadOf<Options extends { readonly schema: StandardSchemaV1 }> =
  StandardSchemaV1.InferOutput<Options['schema']>
export type SentTo<Options extends { readonly schema: StandardSchemaV1 }> =
  StandardSchemaV1.InferInput<Options['schema']>
type AnyPayload<Stages extends StagesOptions> = {
  [Name in keyof Stages]: PayloadOf<Stages[Name]>
}[keyof Stages]
