import type { SNSClient } from '@aws-sdk/client-sns'
import type { SQSClient } from '@aws-sdk/client-sqs'
import type { StandardSchemaV1 } from '@standard-schema/spec'
import type { Clock } from '../clock.ts'
import type { Duration } from '../duration.ts'
import type { AttributeInput } from '../record/envelope/checkAttributes.ts'
import type { Time } from '../time.ts'

export interface ProducerOptions<Schema extends StandardSchemaV1 | undefined = undefined> {
  /** Any Standard Schema: what it refuses is not sent. What is sent is the payload as it was given. Default: none. */
  readonly schema?: Schema
  /**
   * The request's identity, from its payload as the schema gives it. Give consumers that have an option `id` the same one
   * here. Default: `uniqueRequestId` of the call, else a new id for each call, which makes the same payload another request.
   */
  readonly id?: (payload: PayloadOutput<Schema>) => string
  /** When the request was made; the same whenever it is sent again. A later time counts as now. Default: now. */
  readonly sentAt?: (payload: PayloadOutput<Schema>) => Time
  /** Default: made at first use, with timeouts. */
  readonly sqs?: SQSClient
  readonly sns?: SNSClient
  /** For tests. */
  readonly clock?: Clock
}

export type PayloadOutput<Schema extends StandardSchemaV1 | undefined> =
  Schema extends StandardSchemaV1 ? StandardSchemaV1.InferOutput<Schema> : unknown
export type PayloadInput<Schema extends StandardSchemaV1 | undefined> =
  Schema extends StandardSchemaV1 ? StandardSchemaV1.InferInput<Schema> : unknown

/** Of one message to a topic. */
export interface ProducePublishOptions {
  /** Names the request: 1 to 256 printable ASCII characters. Sent again with the same one, each consumer runs it once. */
  readonly uniqueRequestId?: string
  /**
   * When the request was made, as `sentAt` of the producer. Consumers count the age of the request from then, and dead-letter
   * what is older than their `retention`.
   */
  readonly sentAt?: Time
  /** W3C trace context: all that consumers send carries it on. https://www.w3.org/TR/trace-context/#traceparent-header */
  readonly traceparent?: string
  readonly attributes?: Readonly<Record<string, AttributeInput>>
  /** Message group; required for FIFO targets, which take an id once in five minutes. */
  readonly groupId?: string
  /** What the target is set to take, bytes with attributes. Default: 1 MiB for a queue, 256 KiB for a topic. */
  readonly maxBytes?: number
}

/** Of one message to a queue. */
export interface ProduceSendOptions extends ProducePublishOptions {
  /** 0 to 15 minutes; standard queues only. */
  readonly delay?: Duration
}

export interface Produced {
  readonly uniqueRequestId: string
  /** As SQS or SNS named it. */
  readonly messageId: string
}

/** Sends to SQS and SNS what Lineclear consumers run once, from code that is no Lineclear handler. */
export interface Producer<Payload> {
  /**
   * @example await orders.send(process.env['ORDERS_QUEUE'] ?? '', order, { uniqueRequestId: order.orderId })
   * @throws RejectedError when the schema refuses the payload; ConfigError when JSON would change it, or an option is
   * wrong; TerminalError when it is too long; QueueRefusedError when it was not accepted, or no answer came: then send it
   * again with the same `uniqueRequestId`, which stands in `error.results`
   */
  send(queueUrl: string, payload: Payload, options?: ProduceSendOptions): Promise<Produced>
  /** As `send`, to an SNS topic. */
  publish(topicArn: string, payload: Payload, options?: ProducePublishOptions): Promise<Produced>
  /**
   * Any number of messages, in calls of at most 10 and as many bytes as SQS takes; FIFO queues get one call after the other.
   * All are checked before the first is sent. What SQS refuses for the moment is tried again under the same ids.
   * @returns in the order of the messages; all of them were accepted
   * @example await orders.sendMany(queueUrl, rows.map((row) => ({ payload: row, uniqueRequestId: row.orderId })))
   * @throws QueueRefusedError when one was not accepted: `error.results` says of each whether it was; and as `send`
   */
  sendMany(queueUrl: string, messages: readonly ToSend<Payload>[]): Promise<readonly Produced[]>
  /** As `sendMany`, to an SNS topic. */
  publishMany(
    topicArn: string,
    messages: readonly ToPublish<Payload>[],
  ): Promise<readonly Produced[]>
}

export interface ToSend<Payload> extends ProduceSendOptions {
  readonly payload: Payload
}

export interface ToPublish<Payload> extends ProducePublishOptions {
  readonly payload: Payload
}
