// @acts

import type { SQSClient } from '@aws-sdk/client-sqs'
import type { OutgoingMessage } from '../record/envelope/buildMessage.ts'
import type { MovedPayload } from '../record/envelope/envelope.ts'

/** A message to be sent, with its delivery options. */
export interface QueueMessage extends OutgoingMessage {
  /** Whole seconds, 0 to 900. */
  readonly delaySeconds?: number
  readonly groupId?: string
  /** A FIFO target accepts a second message with the same id within 5 minutes, but does not deliver it. */
  readonly deduplicationId?: string
  /** Set for an event that goes to a bus. */
  readonly event?: BusEvent
}

/** The fields by which the rules of a bus choose an event. */
export interface BusEvent {
  readonly source: string
  readonly detailType: string
}

/** The id that SQS or SNS gave a message, or why it was not accepted. */
export type SendAnswer = Error | { readonly messageId: string | undefined }

/** Sends messages and returns their ids. Answers are in the order of the messages; no call rejects. */
export interface Sender {
  deliver(
    route: 'send' | 'publish',
    target: string,
    messages: readonly QueueMessage[],
    over?: AbortSignal,
  ): Promise<readonly SendAnswer[]>
}

/** undefined: the message was accepted. */
export type SendOutcome = Error | undefined

/**
 * The calls of a consumer to SQS and SNS. Outcomes are in the order of the requests; no call rejects. A queue is named by its
 * URL, or by its ARN, from which the URL for this client is made.
 */
export interface Messenger {
  /** @param over once it aborts, nothing is sent or repeated any more. Messages without an answer count as refused. */
  send(
    queue: string,
    messages: readonly QueueMessage[],
    over?: AbortSignal,
  ): Promise<readonly SendOutcome[]>
  /** @param target the ARN of a topic or of an event bus */
  publish(
    target: string,
    messages: readonly QueueMessage[],
    over?: AbortSignal,
  ): Promise<readonly SendOutcome[]>
  /** Keeps received messages hidden for whole seconds from now, 0 to 43,200. */
  hide(
    queue: string,
    messages: readonly HideRequest[],
    over?: AbortSignal,
  ): Promise<readonly SendOutcome[]>
  remove(
    queue: string,
    receiptHandles: readonly string[],
    over?: AbortSignal,
  ): Promise<readonly SendOutcome[]>
  /** URL of the queue that the redrive policy names. undefined: there is none. Rejects when the policy cannot be read. */
  deadLetterQueueOf(queue: string, over?: AbortSignal): Promise<string | undefined>
  /** @throws ConfigError when a call was made although there is no client for it, so that a unit test fails at once */
  assertReached?(): void
}

export interface HideRequest {
  readonly receiptHandle: string
  readonly seconds: number
}

/**
 * Clients of the SDK. The packages of SNS and EventBridge are optional, and these types do not import them, so a project that never
 * publishes compiles without them.
 * @example
 * import { SQSClient } from '@aws-sdk/client-sqs'
 *
 * const clients: Clients = { sqs: new SQSClient({ region: 'eu-west-1' }) }
 */
export interface Clients {
  readonly sqs?: SQSClient | undefined
  /** `new SNSClient()` of `@aws-sdk/client-sns` fits. */
  readonly sns?: SnsClient | undefined
  /** `new EventBridgeClient()` of `@aws-sdk/client-eventbridge` fits. */
  readonly eventBridge?: BusClient | undefined
}

export interface BusClient {
  send(command: object, options?: object): Promise<unknown>
}

export interface SnsClient {
  send(command: object, options?: object): Promise<unknown>
}

/**
 * Stores the payloads of messages that are about to be sent: a consumer must never get a message before its payload is there.
 * Messages with the same payload share one object.
 * @throws StoreUnavailableError: nothing may be sent
 */
export async function storePayloads(
  messages: readonly { readonly moved?: MovedPayload }[],
): Promise<void> {
  const moved = messages.flatMap((message) => message.moved ?? [])
  const unique = new Map(moved.map((payload) => [payload.carried.sha256, payload]))
  await Promise.all([...unique.values()].map((payload) => payload.store()))
}
