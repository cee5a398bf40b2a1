import type { Trace } from '../context/trace.ts'
import type { Invocation } from './invocation.ts'
import type { PreparedRecord } from './prefetchClaims.ts'

/**
 * Opens the span of a delivery, unless it is not started. A message that came without trace context gets one here, and its copies
 * and the messages sent for it carry it on: so retries stay in one trace, also when the sender set no context.
 */
export function traceDelivery(
  prepared: PreparedRecord,
  { consumer: { features } }: Invocation,
): { readonly prepared: PreparedRecord; readonly trace?: Trace | undefined } {
  const trace = features.delivery?.(prepared)
  if (trace === undefined || prepared.kind !== 'claim') return { prepared, trace }
  const { incoming } = prepared
  const traced = { ...incoming, message: trace.carry(incoming.message), trace }
  return { prepared: { ...prepared, incoming: traced }, trace }
}
