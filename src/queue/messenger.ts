import type { OutgoingMessage } from '../record/envelope/buildMessage.ts'

/** One message on its way out. */
export interface QueueMessage extends OutgoingMessage {
  /** Whole seconds, 0 to 900. */
  readonly delaySeconds?: number
  readonly groupId?: string
  /** FIFO targets: the same within 5 minutes is taken once. */
  readonly deduplicationId?: string
}

/** What became of one message: the id that SQS or SNS gave it, or why it was not accepted. */
export type SendAnswer = Error | { readonly messageId: string | undefined }

/** Sends, and tells the ids. Answers stand in the order of the messages; no call rejects. */
export interface Sender {
  deliver(
    route: 'send' | 'publish',
    target: string,
    messages: readonly QueueMessage[],
    over?: AbortSignal,
  ): Promise<readonly SendAnswer[]>
}

/** undefined: accepted. */
export type SendOutcome = Error | undefined

/**
 * What the consumer asks of SQS and SNS. Outcomes stand in the order of the requests; no call rejects. A queue is named by
 * its URL, or by its ARN: then its URL is the one by which the client reaches it.
 */
export interface Messenger {
  /** @param over once it aborts, nothing is sent or repeated any more: what was not answered counts as refused */
  send(
    queue: string,
    messages: readonly QueueMessage[],
    over?: AbortSignal,
  ): Promise<readonly SendOutcome[]>
  publish(
    topicArn: string,
    messages: readonly QueueMessage[],
    over?: AbortSignal,
  ): Promise<readonly SendOutcome[]>
  /** Keeps received messages hidden for whole seconds from now, 0 to 43,200. */
  hide(queue: string, messages: readonly HideRequest[]): Promise<readonly SendOutcome[]>
  remove(queue: string, receiptHandles: readonly string[]): Promise<readonly SendOutcome[]>
  /** URL of the queue that the redrive policy names; undefined when there is none. Rejects when it cannot be read. */
  deadLetterQueueOf(queue: string): Promise<string | undefined>
  /** @throws ConfigError when something was asked for that there is no client for: a unit test hears of it at once. */
  assertReached?(): void
}

export interface HideRequest {
  readonly receiptHandle: string
  readonly seconds: number
}
