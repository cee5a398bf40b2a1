import { isSpanContextValid, type SpanContext, TraceFlags } from '@opentelemetry/api'
import type { QueueMessage } from '../../../protocol/send/messenger.ts'
import {
  isTraceparent,
  PACKED_ATTRIBUTE,
} from '../../../protocol/record/envelope/lineclearAttributes.ts'

/**
 * The few names of OpenTelemetry's semantic conventions that spans of messages need, as of version 1.45. A package with all of them
 * would be larger than this room. `aws.sqs` and `messaging.system.name` are new in that version: before it was `aws_sqs` in
 * `messaging.system`, which is deprecated.
 * - https://opentelemetry.io/docs/specs/semconv/messaging/messaging-spans/
 * - https://opentelemetry.io/docs/specs/semconv/messaging/sqs/ and …/sns/
 * - https://opentelemetry.io/docs/specs/semconv/faas/aws-lambda/#sqs
 */
export const SYSTEM = 'messaging.system.name'
export const SQS = 'aws.sqs'
export const SNS = 'aws.sns'
/** The conventions have no name for it. */
export const EVENT_BRIDGE = 'aws.eventbridge'
export const OPERATION_NAME = 'messaging.operation.name'
export const OPERATION_TYPE = 'messaging.operation.type'
export const DESTINATION = 'messaging.destination.name'
export const MESSAGE_ID = 'messaging.message.id'
export const BATCH_COUNT = 'messaging.batch.message_count'
export const QUEUE_URL = 'aws.sqs.queue.url'
export const TOPIC_ARN = 'aws.sns.topic.arn'
export const TRIGGER = 'faas.trigger'
/** The conventions' word for what a queue or a topic triggers. */
export const PUBSUB = 'pubsub'
export const ERROR_TYPE = 'error.type'

/** Attributes of Lineclear's own. */
export const ID = 'lineclear.uniquerequestid'
export const ATTEMPT = 'lineclear.attempt'
/** Number of the copy; absent on the first sending. */
export const RESEND_NUMBER = 'lineclear.resend_number'
/** How the delivery ended: the `kind` of its settlement. */
export const OUTCOME = 'lineclear.outcome'
/** Why it was dead-lettered. */
export const REASON = 'lineclear.reason'
/** When SQS delivers it again, ISO-8601. */
export const UNTIL = 'lineclear.until'
/** The name given to `ctx.call`. It is no part of the span's name, because it may contain an id. */
export const CALL = 'lineclear.call'
/** Messages that were not accepted. */
export const REFUSED = 'lineclear.refused'

/** The attribute `lineclear.consumer`, `lineclear.flow` or `lineclear.stage`. */
export function named(name: string): string {
  return `lineclear.${name}`
}

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
