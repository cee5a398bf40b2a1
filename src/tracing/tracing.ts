import type { SQSRecord } from 'aws-lambda'
import type { Settlement } from '../claim/settlement.ts'
import type { QueueMessage } from '../queue/messenger.ts'
import type { Message } from '../record/message/message.ts'

/**
 * Where spans go: the option `tracing` of handlers, flows and producers. `openTelemetry()` of `lineclear/opentelemetry` makes one,
 * and its package is loaded by nothing else. A trace must not change what it shows, so no call throws or rejects because of
 * tracing: only what the given function throws goes through.
 * @example
 * const tracing: Tracing = openTelemetry()
 * export const handler = recordHandler({ name: 'orders', store, tracing }, async (order, ctx) => {})
 */
export interface Tracing {
  /** Runs an invocation. Its deliveries are opened in `run`. */
  batch<T>(batch: TracedBatch, run: () => Promise<T>): Promise<T>
  /** Opens the span of one delivery. It has ended once `settled` has been called. */
  delivery(delivery: TracedDelivery): Trace
  /** Sends messages from code that handles none. @see Trace.send */
  readonly send: Trace['send']
}

/** The span of one delivery of a message. */
export interface Trace {
  /** W3C context of the span. undefined: no SDK is registered. */
  readonly traceparent: string | undefined
  /** W3C context in which the message was created, for copies of it; without one as `traceparent`. */
  readonly origin: string | undefined
  /** Calls `work` once. The spans that it opens are children of this one. */
  run<T>(work: () => T): T
  /** Calls `work` once, in a span of its own. @param kind such as `once` @param name which of them */
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
interface SendContext {
  /** undefined: there is none. */
  readonly traceparent: string | undefined
  /** The message with this context in place of the one that it carries. A message that carries none stays as it is. */
  stamp(message: QueueMessage): QueueMessage
}

/** `consumer`, or `flow` and `stage`. */
type TracedNames = Readonly<Record<string, string>>

interface TracedBatch {
  readonly queueArn: string
  readonly count: number
  readonly names: TracedNames
}

interface TracedDelivery {
  readonly record: SQSRecord
  /** undefined: the record cannot be read. */
  readonly message: Message<unknown> | undefined
  /** The request that it belongs to. */
  readonly uniqueRequestId: string | undefined
  /** Number of the attempt, from 1. undefined: the message is not run. */
  readonly attempt: number | undefined
  /** W3C context of the stage that has asked for this answer. */
  readonly asked: string | undefined
  readonly names: TracedNames
}

export interface TracedTarget {
  readonly route: 'send' | 'publish'
  /** URL of a queue, or ARN of a topic. */
  readonly target: string
  /** Number of messages. */
  readonly count: number
}
