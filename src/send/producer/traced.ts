import type { Trace, TracedTarget } from '../../context/trace.ts'

/** Sends in a span, when the sender is traced. @param send gets the W3C context for its messages */
export function traced<Answer>(
  tracing: Pick<Trace, 'send'> | undefined,
  to: TracedTarget,
  send: (traceparent: string | undefined) => Promise<readonly Answer[]>,
): Promise<readonly Answer[]> {
  return tracing === undefined
    ? send(undefined)
    : tracing.send(to, ({ traceparent }) => send(traceparent))
}
