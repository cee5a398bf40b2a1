import type { SQSRecord } from 'aws-lambda'
import type { Trace, TracedDelivery } from '../../run/context/trace.ts'

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
  batch<T>(records: readonly SQSRecord[], names: TracedNames, run: () => Promise<T>): Promise<T>
  /**
   * Opens the span of one delivery. It has ended once `settled` has been called.
   * @returns undefined for a record that is not started
   */
  delivery(delivery: TracedDelivery, names: TracedNames): Trace | undefined
  /** Opens the span of a direct invocation, or of a call of a function, that holds its key and is run. */
  call(call: TracedCall): Trace
  /** Sends messages from code that handles none. @see Trace.send */
  readonly send: Trace['send']
}

/** `consumer`, or `flow` and `stage`. */
export type TracedNames = Readonly<Record<string, string>>

export interface TracedCall {
  /** Name of the handler or function. */
  readonly name: string
  readonly uniqueRequestId: string
  readonly attempt: number
}
