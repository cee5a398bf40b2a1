import type { StandardSchemaV1 } from '@standard-schema/spec'
import type { Clock } from '../../base/clock.ts'
import type { Duration, Time } from '../../base/time.ts'
import type { AttributeInput } from '../../protocol/record/envelope/buildMessage.ts'
import type { Offload } from '../../run/context/results/resultStore.ts'
import type { Clients } from '../../protocol/send/messenger.ts'
import type { Tracing } from '../../features/tracing/tracing.ts'

/** Options of {@link producer}. All are optional. */
export interface ProducerOptions<Schema extends StandardSchemaV1 | undefined = undefined> {
  /** Any Standard Schema. A payload that it refuses is not sent; one that it accepts is sent unchanged. Default: none. */
  readonly schema?: Schema
  /**
   * The request's identity, from its payload as the schema gives it. Where the consumers have an option `id`, give the same one
   * here. Default: `uniqueRequestId` of the call, else a new id for each call: the same payload, sent again, is another request.
   * @example id: ({ orderId }) => orderId
   */
  readonly id?: (payload: PayloadOutput<Schema>) => string
  /**
   * When the request was made: the same whenever it is sent again. A time in the future counts as now. Default: now.
   * @example sentAt: ({ placedAt }) => placedAt
   */
  readonly sentAt?: (payload: PayloadOutput<Schema>) => Time
  /**
   * Traces each call: `openTelemetry()` of `lineclear/opentelemetry`. Its messages carry the context of the call.
   * Default: none.
   */
  readonly tracing?: Tracing
  /**
   * Where payloads are kept that do not fit into a message, such as `s3Objects({ bucket })`; the consumers need the same option.
   * Default: none, and a larger message is refused.
   */
  readonly offload?: Offload
  /**
   * Clients of the SDK, each of which may be left out. Default: made at the first call, with timeouts of 1 s to connect and 5 s for
   * an answer; those of SNS and EventBridge, whose packages are optional, at the first `publish`.
   * @example clients: { sqs: new SQSClient({ region: 'eu-west-1' }) }
   */
  readonly clients?: Clients | undefined
  /** For tests. Default: the system's clock. */
  readonly clock?: Clock | undefined
}

export type PayloadOutput<Schema extends StandardSchemaV1 | undefined> =
  Schema extends StandardSchemaV1 ? StandardSchemaV1.InferOutput<Schema> : unknown
export type PayloadInput<Schema extends StandardSchemaV1 | undefined> =
  Schema extends StandardSchemaV1 ? StandardSchemaV1.InferInput<Schema> : unknown

/** Options of one message to a topic. */
export interface ProducePublishOptions {
  /**
   * The request's identity: 1 to 256 printable ASCII characters without spaces. However often it is sent under it, each consumer
   * runs the request once. Default: what `id` gives, else a new one.
   */
  readonly uniqueRequestId?: string
  /**
   * When the request was made. Consumers count its age from then, and dead-letter one that is older than their `retention`.
   * Default: what `sentAt` of the producer gives, else now.
   */
  readonly sentAt?: Time
  /** Message attributes of your own, at most 8: SQS takes 10, of which Lineclear uses 2. Default: none. */
  readonly attributes?: Readonly<Record<string, AttributeInput>>
  /** Message group. Required for FIFO targets, which take one id once in five minutes. */
  readonly groupId?: string
  /** The target's `MaximumMessageSize`, bytes, attributes included. Default: 1 MiB for a queue, 256 KiB for a topic. */
  readonly maxBytes?: number
  /** The `source` of an event for a bus, at most 256 bytes. With `detailType` in place of the other options. */
  readonly source?: string
  /** The `detail-type` of an event for a bus, at most 128 bytes. */
  readonly detailType?: string
}

/** Options of one message to a queue. */
export interface ProduceSendOptions extends Omit<ProducePublishOptions, 'source' | 'detailType'> {
  /** 0 to 15 minutes. Standard queues only. Default 0. */
  readonly delay?: Duration
}

/** A message that SQS or SNS has accepted. */
export interface Produced {
  readonly uniqueRequestId: string
  /** The id that SQS or SNS gave it. */
  readonly messageId: string
}

/** Sends requests that each Lineclear consumer runs once, from code that is not a Lineclear handler. Made by {@link producer}. */
export interface Producer<Payload> {
  /**
   * @example await orders.send(process.env['ORDERS_QUEUE'] ?? '', order, { uniqueRequestId: order.orderId })
   * @throws RejectedError when the schema refuses the payload; ConfigError when JSON would change it, or an option is
   * wrong; TerminalError when it is too long; SendFailedError when it was not accepted, or no answer came: then send it
   * again with the same `uniqueRequestId`, which `error.results` contains
   */
  send(queueUrl: string, payload: Payload, options?: ProduceSendOptions): Promise<Produced>
  /**
   * As `send`, to an SNS topic, or to an event bus with `source` and `detailType`.
   * @example await orders.publish(topicArn, order, { uniqueRequestId: order.orderId })
   */
  publish(target: string, payload: Payload, options?: ProducePublishOptions): Promise<Produced>
  /**
   * Any number of messages, in calls of at most 10 and as many bytes as SQS takes; FIFO queues get one call after the other.
   * All are checked before the first is sent. Messages that SQS refuses temporarily are sent again under the same ids.
   * @returns in the order of the messages; all of them were accepted
   * @example await orders.sendMany(queueUrl, rows.map((row) => ({ payload: row, uniqueRequestId: row.orderId })))
   * @throws SendFailedError when one was not accepted: `error.results` tells the outcome of each; and as `send`
   */
  sendMany(queueUrl: string, messages: readonly ToSend<Payload>[]): Promise<readonly Produced[]>
  /**
   * As `sendMany`, to an SNS topic or an event bus.
   * @example await orders.publishMany(topicArn, rows.map((row) => ({ payload: row, uniqueRequestId: row.orderId })))
   */
  publishMany(target: string, messages: readonly ToPublish<Payload>[]): Promise<readonly Produced[]>
}

/** One message of `sendMany`. */
export interface ToSend<Payload> extends ProduceSendOptions {
  readonly payload: Payload
}

/** One message of `publishMany`. */
export interface ToPublish<Payload> extends ProducePublishOptions {
  readonly payload: Payload
}
