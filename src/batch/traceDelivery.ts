import type { Trace } from '../tracing/tracing.ts'
import type { Invocation } from './invocation.ts'
import type { PreparedRecord } from './prefetchClaims.ts'

/**
 * Opens the span of a delivery, unless it is not started. A message that came without trace context gets one here, and its copies
 * and the messages sent for it carry it on: so retries stay in one trace whoever sent the message.
 */
export function traceDelivery(
  prepared: PreparedRecord,
  { consumer: { tracing, dimensions: names } }: Invocation,
): { readonly prepared: PreparedRecord; readonly trace?: Trace } {
  if (tracing === undefined) return { prepared }
  if (prepared.kind === 'unreadable') {
    const { record } = prepared
    const unknown = { message: undefined, uniqueRequestId: undefined, attempt: undefined }
    return { prepared, trace: tracing.delivery({ record, ...unknown, asked: undefined, names }) }
  }
  if (prepared.kind !== 'claim') return { prepared }
  const { record, incoming, claim } = prepared
  const { message } = incoming
  const trace = tracing.delivery({
    record,
    message,
    uniqueRequestId: claim.kind === 'claimed' ? claim.uniqueRequestId : message.uniqueRequestId,
    attempt: claim.kind === 'claimed' ? claim.hold.attempt : undefined,
    asked: claim.asked,
    names,
  })
  const { envelope } = message
  const traceparent = envelope.carried.traceparent ?? trace.origin
  const carried = { ...envelope.carried, ...(traceparent && { traceparent }) }
  const traced = { ...message, envelope: { ...envelope, carried } }
  return { prepared: { ...prepared, incoming: { record, message: traced, trace } }, trace }
}
