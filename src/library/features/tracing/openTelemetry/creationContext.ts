import {
  type Context,
  isSpanContextValid,
  propagation,
  ROOT_CONTEXT,
  type SpanContext,
  trace,
  TraceFlags,
} from '@opentelemetry/api'
import type { Attributes } from '../../../protocol/record/envelope/envelope.ts'
import type { TracedDelivery } from '../../../run/context/trace.ts'
import { safely } from './spans.ts'
import { readTraceparent, readXrayHeader } from './conventions.ts'

/** What a message says of the span in which it was created. */
interface CreationContext {
  /** undefined: it says nothing, or nothing that the registered propagator reads. */
  readonly from: SpanContext | undefined
  /** All that it says, each once. */
  readonly links: readonly SpanContext[]
}

/**
 * The first of these wins:
 * 1. `traceparent`, of Lineclear's own attribute or a message attribute: the sender has put it into this message, and it names the
 *    span of the sending;
 * 2. message attributes that the registered propagator reads, such as those of the AWS SDK's instrumentation;
 * 3. the system attribute `AWSTraceHeader`, if the registered propagator reads it: it names the sender's invocation only.
 *    For X-Ray's sampling decides about its trace, and that samples one in twenty, it is no parent where another system is
 *    reported to. It is a link in any case, as the conventions for Lambda want it.
 */
export function creationContext({ record, incoming }: TracedDelivery): CreationContext {
  const message = incoming?.message
  const header = record?.attributes?.AWSTraceHeader
  const from =
    readTraceparent(message?.envelope.carried.traceparent) ??
    extracted(message && textsOf(message.envelope.attributes)) ??
    extracted(header === undefined ? undefined : { [XRAY_HEADER]: header })
  const all = [from, readXrayHeader(header)].filter((each) => each !== undefined)
  return { from, links: distinct(all) }
}

/** The header's name as X-Ray's propagator writes it. */
const XRAY_HEADER = 'x-amzn-trace-id'
/** Characters: no context is longer. */
const LONGEST = 1_024

/**
 * X-Ray's propagator for Lambda answers with the invocation's own context when it is asked without a span, so it is asked with this
 * one, and what it answers is compared with it.
 */
const NOBODY: SpanContext = {
  traceId: '0123456789abcdef0123456789abcdef',
  spanId: '0123456789abcdef',
  traceFlags: TraceFlags.NONE,
}

function extracted(carrier: Readonly<Record<string, string>> | undefined): SpanContext | undefined {
  if (carrier === undefined) return undefined
  const asked = trace.setSpanContext(ROOT_CONTEXT, NOBODY)
  const context = safely((): Context => propagation.extract(asked, carrier)) ?? asked
  const found = trace.getSpanContext(context)
  const isFound = found !== undefined && isSpanContextValid(found) && !isSame(found, NOBODY)
  return isFound ? { ...found, isRemote: true } : undefined
}

function textsOf(attributes: Attributes): Readonly<Record<string, string>> {
  const texts = Object.entries(attributes).flatMap(([name, { value }]) =>
    typeof value === 'string' && value.length <= LONGEST ? [[name, value] as const] : [],
  )
  return Object.fromEntries(texts)
}

/** Keeps the first of each span. */
export function distinct(contexts: readonly SpanContext[]): readonly SpanContext[] {
  return contexts.filter(
    (each, index) => contexts.findIndex((other) => isSame(each, other)) === index,
  )
}

function isSame(one: SpanContext, other: SpanContext): boolean {
  return one.traceId === other.traceId && one.spanId === other.spanId
}
