import { isSpanContextValid, type SpanContext, TraceFlags } from '@opentelemetry/api'

const ROOT = /(?:^|;)Root=1-([\da-f]{8})-([\da-f]{24})(?:;|$)/i
const PARENT = /(?:^|;)Parent=([\da-f]{16})(?:;|$)/i
const SAMPLED = /(?:^|;)Sampled=1(?:;|$)/i
/** Characters. AWS writes fewer than half of them. */
const LONGEST = 512

/**
 * The context in an X-Ray header. A header that names no span, such as that of a Lineclear copy whose message had none, is no
 * context. https://docs.aws.amazon.com/xray/latest/devguide/xray-concepts.html#xray-concepts-tracingheader
 */
export function readXrayHeader(header: string | undefined): SpanContext | undefined {
  if (header === undefined || header.length > LONGEST) return undefined
  const [, time, unique] = ROOT.exec(header) ?? []
  const [, spanId] = PARENT.exec(header) ?? []
  if (time === undefined || unique === undefined || spanId === undefined) return undefined
  const named = {
    traceId: `${time}${unique}`.toLowerCase(),
    spanId: spanId.toLowerCase(),
    traceFlags: SAMPLED.test(header) ? TraceFlags.SAMPLED : TraceFlags.NONE,
    isRemote: true,
  }
  return isSpanContextValid(named) ? named : undefined
}
