import { isBus } from '../../../adapters/send/eventBus.ts'
import {
  type Attributes,
  type Context,
  context,
  INVALID_SPAN_CONTEXT,
  type Span,
  type SpanContext,
  SpanKind,
  type SpanOptions,
  SpanStatusCode,
  trace,
  type Tracer,
} from '@opentelemetry/api'
import { messageOf } from '../../../base/errors.ts'
import type { SendContext, Trace, TracedTarget } from '../../../run/context/trace.ts'
import {
  BATCH_COUNT,
  CALL,
  DESTINATION,
  ERROR_TYPE,
  MESSAGE_ID,
  OPERATION_NAME,
  OPERATION_TYPE,
  QUEUE_URL,
  REFUSED,
  SNS,
  SQS,
  SYSTEM,
  TOPIC_ARN,
  EVENT_BRIDGE,
  stamped,
  writeTraceparent,
} from './conventions.ts'

/** An open span, and the context that makes it the parent of other spans. */
export interface OpenSpan {
  readonly span: Span
  readonly within: Context
}

/** A tracer that throws gives a span that records nothing. */
export function openSpan(
  tracer: () => Tracer,
  name: string,
  options: SpanOptions,
  parent: Context,
): OpenSpan {
  const span =
    safely(() => tracer().startSpan(name, options, parent)) ??
    trace.wrapSpanContext(INVALID_SPAN_CONTEXT)
  return { span, within: safely(() => trace.setSpan(parent, span)) ?? parent }
}

export function contextOf({ span }: OpenSpan): SpanContext | undefined {
  return safely(() => span.spanContext())
}

/** The active context when it has a span, such as one that the handler has opened itself; else `own`. */
export function activeOr(own: Context): Context {
  const active = safely(() => context.active())
  return active !== undefined && trace.getSpan(active) !== undefined ? active : own
}

/** Runs `work` in the span and ends it. What `work` throws is the span's error. */
export async function inSpan<T>(
  open: OpenSpan,
  work: () => Promise<T>,
  ended: (result: T) => void = () => {},
): Promise<T> {
  try {
    const result = await within(open.within, work)
    safely(() => ended(result))
    return result
  } catch (error) {
    fail(open, error)
    throw error
  } finally {
    safely(() => open.span.end())
  }
}

export function fail(open: OpenSpan, error: unknown): void {
  recordError(open, error)
  markFailed(open, typeOf(error), messageOf(error))
}

/** @param type of few values, for statistics */
export function markFailed({ span }: OpenSpan, type: string, message: string): void {
  safely(() => span.setAttribute(ERROR_TYPE, type))
  safely(() => span.setStatus({ code: SpanStatusCode.ERROR, message }))
}

/** An event of the span. Whether the span failed is another question. */
export function recordError({ span }: OpenSpan, error: unknown): void {
  safely(() => span.recordException(error instanceof Error ? error : messageOf(error)))
}

function typeOf(error: unknown): string {
  return error instanceof Error ? error.name : '_OTHER'
}

/** `ctx.call` and its like. */
export function callSpan(tracer: () => Tracer, own: Context): Trace['call'] {
  return (kind, name, work) => {
    const options = { kind: SpanKind.INTERNAL, attributes: { [CALL]: name } }
    return inSpan(openSpan(tracer, kind, options, activeOr(own)), work)
  }
}

/** @param own the parent when no span is active */
export function sendSpan(tracer: () => Tracer, own: () => Context): Trace['send'] {
  return async (to, send) => {
    const options = { kind: SpanKind.PRODUCER, attributes: sendAttributes(to) }
    const open = openSpan(tracer, `${to.route} ${nameIn(to.target)}`, options, activeOr(own()))
    const traceparent = writeTraceparent(contextOf(open))
    const given: SendContext = {
      traceparent,
      stamp: (message) => safely(() => stamped(message, traceparent)) ?? message,
    }
    return inSpan(
      open,
      () => send(given),
      (answers) => noteAnswers(open, answers),
    )
  }
}

/**
 * The messages of one call have this span as their creation context: a span for each message would double the export and say
 * nothing more.
 */
function sendAttributes({ route, target, count }: TracedTarget): Attributes {
  const topic = isBus(target) ? { [SYSTEM]: EVENT_BRIDGE } : { [SYSTEM]: SNS, [TOPIC_ARN]: target }
  return {
    ...(route === 'publish' ? topic : { [SYSTEM]: SQS, [QUEUE_URL]: target }),
    [OPERATION_NAME]: route,
    [OPERATION_TYPE]: 'send',
    [DESTINATION]: nameIn(target),
    ...(count > 1 ? { [BATCH_COUNT]: count } : {}),
  }
}

function noteAnswers(open: OpenSpan, answers: readonly unknown[]): void {
  const refused = answers.filter((answer) => answer instanceof Error)
  const [first] = refused
  if (first !== undefined) {
    fail(open, first)
    open.span.setAttribute(REFUSED, refused.length)
  }
  const id = answers.length === 1 ? messageIdOf(answers[0]) : undefined
  if (id !== undefined) open.span.setAttribute(MESSAGE_ID, id)
}

function messageIdOf(answer: unknown): string | undefined {
  if (typeof answer !== 'object' || answer === null || !('messageId' in answer)) return undefined
  return typeof answer.messageId === 'string' ? answer.messageId : undefined
}

/** The name of a queue or topic, from its ARN or URL. What is neither is refused by the code that is traced, not here. */
export function nameIn(target: unknown): string {
  return String(target).split(/[:/]/).at(-1) ?? ''
}

/** @returns undefined when `call` throws: a tracer, a propagator or an exporter that fails must not fail a record */
export function safely<T>(call: () => T): T | undefined {
  // @protects a tracer that throws changes no record
  // @without its body
  try {
    return call()
  } catch {
    return undefined
  }
}

/** Calls `work` once in the given context, also when the context manager throws, before or after it has called it. */
export function within<T>(given: Context, work: () => T): T {
  let end: { readonly value: T } | { readonly error: unknown } | undefined
  const run = (): void => {
    try {
      end = { value: work() }
    } catch (error) {
      end = { error }
    }
  }
  safely(() => context.with(given, run))
  // @protects a handler runs also when its tracer fails
  if (end === undefined) run()
  return unwrap(end)
}

function unwrap<T>(end: { readonly value: T } | { readonly error: unknown } | undefined): T {
  if (end === undefined) throw new Error('the work has neither returned nor thrown')
  if ('error' in end) throw end.error
  return end.value
}
