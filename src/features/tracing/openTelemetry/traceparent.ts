import { isSpanContextValid, type SpanContext, TraceFlags } from '@opentelemetry/api'
import type { QueueMessage } from '../../../send/messenger.ts'
import { isTraceparent, PACKED_ATTRIBUTE } from '../../../record/envelope/lineclearAttributes.ts'

/**
 * W3C trace context, read and written here and not by the registered propagator: what Lineclear's own messages carry is the same
 * whichever propagator a function has. https://www.w3.org/TR/trace-context/#traceparent-header
 */
export function readTraceparent(text: string | undefined): SpanContext | undefined {
  if (!isTraceparent(text)) return undefined
  const [, traceId = '', spanId = '', flags = ''] = text.split('-')
  return { traceId, spanId, traceFlags: sampledOf(Number.parseInt(flags, 16)), isRemote: true }
}

/** @returns undefined for a span that no SDK has made */
export function writeTraceparent(span: SpanContext | undefined): string | undefined {
  if (span === undefined || !isSpanContextValid(span)) return undefined
  return `00-${span.traceId}-${span.spanId}-0${sampledOf(span.traceFlags)}`
}

function sampledOf(flags: number): TraceFlags {
  return flags & TraceFlags.SAMPLED
}

/** As `encodePacked` writes it. In a text of the JSON the quotes would be escaped. All contexts have the same length. */
const FIELD = /"traceparent":"[\da-f-]{55}"/

/** The message with another context in the place of its own; so its size stays, which was checked when it was built. */
export function stamped(message: QueueMessage, traceparent: string | undefined): QueueMessage {
  const packed = message.attributes[PACKED_ATTRIBUTE]
  if (traceparent === undefined || packed === undefined || !('StringValue' in packed)) {
    return message
  }
  const StringValue = packed.StringValue.replace(FIELD, `"traceparent":"${traceparent}"`)
  return {
    ...message,
    attributes: { ...message.attributes, [PACKED_ATTRIBUTE]: { ...packed, StringValue } },
  }
}
