import type { StandardSchemaV1 } from '@standard-schema/spec'
import type { RecordHandlerOptions, RetryOptions } from '../consumer/options.ts'
import type { Delays } from '../../run/context/delays.ts'
import type { Duration, Time } from '../../base/time.ts'
import type { OnConflict } from '../../protocol/claim/stage/stageMessage.ts'
import type { Process } from '../../protocol/claim/stage/stageRecord.ts'
import type { Store } from '../../protocol/store/store.ts'

/** One stage of a flow, usually one Lambda with a queue of its own. */
export interface StageOptions extends Pick<
  RecordHandlerOptions,
  'envelopes' | 'deadLetterQueueUrl' | 'concurrency' | 'circuitBreaker'
> {
  /** Any Standard Schema: checks each message before the handler runs. */
  readonly schema: StandardSchemaV1
  /** URL of the stage's queue. `ctx.next` sends to it, and for the first stage `start` does. */
  readonly queueUrl?: string | undefined
  /** The stage ends the flow: its handler cannot send to another stage. Default: it can. */
  readonly final?: true
  /**
   * Names that this stage had before: runs that began under one of them continue under it, with their effects and ids. Leave a
   * name here until the last such run has ended and its dead letters are redriven or forgotten. Default: none.
   * @example { bill: { schema: Bill, queueUrl, formerNames: ['charge'] } }
   */
  readonly formerNames?: readonly string[]
}

/** An awaited step: an answer of an outside system that a flow waits for. */
export interface AwaitOptions<Schema extends StandardSchemaV1 = StandardSchemaV1> extends Pick<
  RecordHandlerOptions,
  'envelopes' | 'deadLetterQueueUrl' | 'concurrency'
> {
  /** Any Standard Schema: checks each answer. */
  readonly schema: Schema
  /** Returns the external id in an answer: the one that was given to `ctx.awaitStep`. */
  id(payload: StandardSchemaV1.InferOutput<Schema>): string
  /** URL of the queue where answers arrive. Needed for timeouts and for `answer`. */
  readonly queueUrl?: string | undefined
  /**
   * How long to wait for an answer, unless `ctx.awaitStep` says otherwise; then `onTimeout` of `answerHandler` runs, and without it the
   * run becomes a dead letter. Needs `queueUrl`. Default: as long as the flow may run.
   */
  readonly timeout?: Duration
  /** How long an answer stays on its queue while no run waits for it; then it is dead-lettered. Default 5 minutes. */
  readonly grace?: Duration
  /** Names that this step had before, as for a stage. */
  readonly formerNames?: readonly string[]
}

/** The queue of `flow.failureHandler`. */
export interface FailureOptions extends Pick<
  RecordHandlerOptions,
  'deadLetterQueueUrl' | 'concurrency'
> {
  readonly queueUrl: string
}

export type StagesOptions = Readonly<Record<string, StageOptions>>
/** The schemas of the answers, by the name of the step. */
export type Answers = Readonly<Record<string, StandardSchemaV1>>
/** The answers of a flow that waits for nothing: no text is the name of a step. */
export type NoAnswers = { readonly [Name in never]: StandardSchemaV1 }

/**
 * Options of `defineFlow`.
 * @example
 * const options = {
 *   name: 'shipping',
 *   store,
 *   key: ({ orderId }: Order) => orderId,
 *   onConflict: 'supersede',
 *   stages: { ship: { schema: OrderPlaced, queueUrl } },
 * } as const
 * const shipping = defineFlow(options)
 */
export interface FlowOptions<
  Stages extends StagesOptions,
  Awaited extends Answers,
  Tx = undefined,
> extends Pick<
  RecordHandlerOptions<undefined, Tx>,
  | ('timeoutMargin' | 'reportBatchItemFailures' | 'onSettled' | 'logger' | 'metrics' | 'tracing')
  | ('sql' | 'offload' | 'clients' | 'clock')
> {
  /** Letters, digits, `.`, `_`, `-`. Names the flow in the table and in the log. */
  readonly name: string
  readonly store: Store
  /** The stages by name. The first one starts a run. A stage that sends to no other stage ends it. */
  readonly stages: Stages
  /** Awaited steps by name: answers of outside systems that the flow waits for. */
  readonly awaitingSteps?: { readonly [Name in keyof Awaited]: AwaitOptions<Awaited[Name]> }
  /** What the flow works on, such as `cart/123`: one request at a time has it. Called with the payload of any stage. */
  key(payload: AnyPayload<Stages>): string
  /** `newest` (default): only the newest state of a key matters. `every`: each request must run. */
  readonly process?: Process
  /**
   * What happens to a request whose key another request has. `defer` (default): it waits on the queue. `drop`: it is dropped for
   * good. `supersede`: it takes over when it is newer. `coalesce`: only the newest waits, older ones are dropped. The last two
   * exist with `process: 'newest'` only.
   */
  readonly onConflict?: OnConflict
  /**
   * How long a request may run, counted from its first sending. After that it is dead-lettered, and its key is free. Default 1
   * day.
   */
  readonly giveUpAfter?: Duration
  /** The request's identity, computed from the first stage's payload, if the sender has stamped none. Needs `sentAt`. */
  id?(payload: AnyPayload<Stages>): string
  /**
   * When the request was made. `newest` and `newerThan(ctx.sentAt)` compare these times. It must be the same in every copy of a
   * request. Default: when SNS or SQS accepted the first copy, so that the order is that of the queue, not that of the senders.
   * @example sentAt: ({ changedAt }) => changedAt
   */
  sentAt?(payload: AnyPayload<Stages>): Time
  readonly retry?: Omit<RetryOptions, 'maxAge'>
  /**
   * The queue of `failureHandler`, which gets a message about each run that does not complete: dead, given up, superseded or reset. The
   * end and the message are one write, and the sweeper sends it: needs `sweepHandler` on a schedule of one minute, and the
   * items `later#*` in the roles of the flow's functions. Default: no message.
   * @example failures: { queueUrl: process.env['FAILURES_QUEUE'] ?? '' }
   */
  readonly failures?: FailureOptions
  /** How long a late duplicate of an ended request is recognised. Default 30 days. */
  readonly retention?: Duration
  /**
   * Stores what waits longer than the 15 minutes of SQS in the table, `ctx.next`, `ctx.send` and retries, until the sweeper
   * sends it: needs `sweepHandler` on a schedule of one minute. Default: none; such messages stay hidden on their queue.
   */
  readonly delays?: Delays
}

export type StagePayload<Options extends { readonly schema: StandardSchemaV1 }> =
  StandardSchemaV1.InferOutput<Options['schema']>
export type SentTo<Options extends { readonly schema: StandardSchemaV1 }> =
  StandardSchemaV1.InferInput<Options['schema']>
type AnyPayload<Stages extends StagesOptions> = {
  [Name in keyof Stages]: StagePayload<Stages[Name]>
}[keyof Stages]
