import type { SQSRecord } from 'aws-lambda'
import type { Settlement } from '../../protocol/claim/settlement.ts'
import type { Message } from '../../protocol/record/message/message.ts'
import type { QueueMessage } from '../../protocol/send/messenger.ts'

/** The span of one delivery of a message, or of one call. */
export interface Trace {
  /** W3C context of the span. undefined: no SDK is registered. */
  readonly traceparent: string | undefined
  /** The message, with the context in which it was created. A message without one gets the context of this span. */
  carry<Payload>(message: Message<Payload>): Message<Payload>
  /** Calls `work` once. The spans that it opens are children of this one. */
  run<T>(work: () => T): T
  /** Calls `work` once, in a span of its own. @param kind such as `call` @param name which of them */
  call<T>(kind: string, name: string, work: () => Promise<T>): Promise<T>
  /**
   * Calls `send` once, in a span of its own.
   * @param send gets the context that its messages carry, and resolves to an answer for each. An Error is a message that was not
   * accepted.
   */
  send<Answer>(
    to: TracedTarget,
    send: (context: SendContext) => Promise<readonly Answer[]>,
  ): Promise<readonly Answer[]>
  /** The attempt ended with this error. Whether that is an error of the request is known when it has settled. */
  threw(error: unknown): void
  settled(settlement: Settlement): void
}

/** The context of a span that sends. */
export interface SendContext {
  /** undefined: there is none. */
  readonly traceparent: string | undefined
  /** The message with this context in place of the one that it carries. A message that carries none stays as it is. */
  stamp(message: QueueMessage): QueueMessage
}

export interface TracedTarget {
  readonly route: 'send' | 'publish'
  /** URL of a queue, or ARN of a topic. */
  readonly target: string
  /** Number of messages. */
  readonly count: number
}

export interface TracedDelivery {
  readonly record: SQSRecord
  readonly kind: 'claim' | 'unreadable' | 'notStarted' | 'silent'
  /** Set if the kind is `claim`. */
  readonly incoming?: { readonly message: Message<unknown> }
  readonly claim?: TracedClaim
}

interface TracedClaim {
  /** Only a message that is `claimed` is run: then the claim has the number of the attempt, and the id of its request. */
  readonly kind: string
  readonly hold?: { readonly attempt: number }
  readonly uniqueRequestId?: string
  /** W3C context of the stage that has asked for this answer. */
  readonly asked?: string | undefined
}
