import type { TracedTarget } from '../../context/trace.ts'
import type { Tracing } from '../../features/tracing/tracing.ts'

/** Sends in a span, when the sender is traced. @param send gets the W3C context for its messages */
export function traced<Answer>(
  tracing: Tracing | undefined,
  to: TracedTarget,
  send: (traceparent: string | undefined) => Promise<readonly Answer[]>,
): Promise<readonly Answer[]> {
  return tracing === undefined
    ? send(undefined)
    : tracing.send(to, ({ traceparent }) => send(traceparent))
}
