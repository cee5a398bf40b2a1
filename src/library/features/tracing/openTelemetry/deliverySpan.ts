import type { SQSRecord } from 'aws-lambda'
import {
  type Attributes,
  type Context,
  type Link,
  ROOT_CONTEXT,
  type SpanContext,
  SpanKind,
  trace,
  type Tracer,
} from '@opentelemetry/api'
import type { Settlement } from '../../../protocol/claim/settlement.ts'
import type { Message } from '../../../protocol/record/message/message.ts'
import type { Trace, TracedDelivery } from '../../../run/context/trace.ts'
import type { TracedCall, TracedNames } from '../tracing.ts'
import {
  ATTEMPT,
  BATCH_COUNT,
  DESTINATION,
  ID,
  MESSAGE_ID,
  named,
  OPERATION_NAME,
  OPERATION_TYPE,
  OUTCOME,
  PUBSUB,
  REASON,
  RESEND_NUMBER,
  SQS,
  SYSTEM,
  TRIGGER,
  UNTIL,
  readTraceparent,
  writeTraceparent,
} from './conventions.ts'
import { creationContext, distinct } from './creationContext.ts'
import {
  within,
  activeOr,
  callSpan,
  contextOf,
  fail,
  markFailed,
  nameIn,
  type OpenSpan,
  openSpan,
  recordError,
  sendSpan,
  safely,
} from './spans.ts'

/** The parent of a delivery's span: see `OpenTelemetryOptions.parent`. */
export type Parent = 'message' | 'invocation'

export function openBatch(
  tracer: () => Tracer,
  records: readonly SQSRecord[],
  names: TracedNames,
): OpenSpan {
  const queueArn = String(records[0]?.eventSourceARN)
  const attributes = { ...processAttributes(queueArn, names), [BATCH_COUNT]: records.length }
  const options = { kind: SpanKind.CONSUMER, attributes }
  return openSpan(tracer, `process ${nameIn(queueArn)}`, options, activeOr(ROOT_CONTEXT))
}

export function openDeliverySpan(
  tracer: () => Tracer,
  delivery: TracedDelivery,
  names: TracedNames,
  parent: Parent,
): Trace | undefined {
  if (delivery.kind === 'notStarted' || delivery.kind === 'silent') return undefined
  const ambient = activeOr(ROOT_CONTEXT)
  const created = creationContext(delivery)
  const asked = readTraceparent(delivery.claim?.asked)
  // An answer arrives from outside: it continues the request of the stage that has asked.
  const request = parent === 'message' ? (asked ?? created.from) : undefined
  const beside = request && safely(() => trace.getSpanContext(ambient))
  const links = distinct([asked, ...created.links, beside].filter((each) => each !== undefined))
  const open = openSpan(
    tracer,
    `process ${queueOf(delivery)}`,
    {
      kind: SpanKind.CONSUMER,
      attributes: attributesOf(delivery, names),
      links: links.map(asLink),
    },
    request === undefined ? ambient : childOf(ambient, request),
  )
  return traceOf(tracer, open, created.from)
}

/** What invokes a function directly has no messaging conventions: the span of the invocation is above it. */
export function openCallSpan(
  tracer: () => Tracer,
  { name, uniqueRequestId, attempt }: TracedCall,
): Trace {
  const attributes = { [named('name')]: name, [ID]: uniqueRequestId, [ATTEMPT]: attempt }
  const options = { kind: SpanKind.INTERNAL, attributes }
  return traceOf(tracer, openSpan(tracer, name, options, activeOr(ROOT_CONTEXT)), undefined)
}

/** @param created the context in which its message was created */
function traceOf(tracer: () => Tracer, open: OpenSpan, created: SpanContext | undefined): Trace {
  const traceparent = writeTraceparent(contextOf(open))
  return {
    traceparent,
    carry: (message) => carrying(message, writeTraceparent(created) ?? traceparent),
    run: (work) => within(open.within, work),
    call: callSpan(tracer, open.within),
    send: sendSpan(tracer, () => open.within),
    threw: (error) => recordError(open, error),
    settled: (settlement) => settle(open, settlement),
  }
}

function childOf(ambient: Context, request: SpanContext): Context {
  return safely(() => trace.setSpanContext(ambient, request)) ?? ambient
}

function asLink(context: SpanContext): Link {
  return { context }
}

function queueOf({ record }: TracedDelivery): string {
  return nameIn(record?.eventSourceARN)
}

function processAttributes(queueArn: string, names: TracedNames): Attributes {
  const own = Object.entries(names).map(([name, value]) => [named(name), value] as const)
  return {
    [SYSTEM]: SQS,
    [OPERATION_NAME]: 'process',
    [OPERATION_TYPE]: 'process',
    [DESTINATION]: nameIn(queueArn),
    [TRIGGER]: PUBSUB,
    ...Object.fromEntries(own),
  }
}

/** What its sender gave stays. */
function carrying<Payload>(
  message: Message<Payload>,
  traceparent: string | undefined,
): Message<Payload> {
  const { envelope } = message
  if (traceparent === undefined || envelope.carried.traceparent !== undefined) return message
  const carried = Object.freeze({ ...envelope.carried, traceparent })
  return { ...message, envelope: Object.freeze({ ...envelope, carried }) }
}

function attributesOf({ record, incoming, claim }: TracedDelivery, names: TracedNames): Attributes {
  const message = incoming?.message
  const resendNumber = message?.envelope.carried.resendNumber
  const uniqueRequestId = claim?.uniqueRequestId ?? message?.uniqueRequestId
  const attempt = claim?.kind === 'claimed' ? claim.hold?.attempt : undefined
  return {
    ...processAttributes(record?.eventSourceARN, names),
    ...(record?.messageId === undefined ? {} : { [MESSAGE_ID]: record.messageId }),
    ...(uniqueRequestId === undefined ? {} : { [ID]: uniqueRequestId }),
    ...(attempt === undefined ? {} : { [ATTEMPT]: attempt }),
    ...(resendNumber ? { [RESEND_NUMBER]: resendNumber } : {}),
  }
}

/**
 * A failure that is retried is no error of the span: the conventions leave errors out that are handled, and an operator has nothing
 * to do. An error is what needs someone: a dead letter, a handler that ran out of time, a store or a queue that did not answer.
 * https://opentelemetry.io/docs/specs/semconv/general/recording-errors/
 */
function settle(open: OpenSpan, settlement: Settlement): void {
  const { span } = open
  safely(() => span.setAttribute(OUTCOME, settlement.kind))
  if ('until' in settlement) {
    safely(() => span.setAttribute(UNTIL, new Date(settlement.until ?? Number.NaN).toISOString()))
  }
  switch (settlement.kind) {
    case 'deadLettered':
      safely(() => span.setAttribute(REASON, settlement.reason))
      markFailed(open, settlement.reason, `dead-lettered: ${settlement.reason}`)
      break
    case 'timedOut':
      markFailed(open, 'timeout', 'the handler still ran when the time was up')
      break
    case 'failed':
      fail(open, settlement.error)
      break
    default:
  }
  safely(() => span.end())
}
