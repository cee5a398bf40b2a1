import { context, propagation, SpanKind, SpanStatusCode } from '@opentelemetry/api'
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks'
import {
  BasicTracerProvider,
  InMemorySpanExporter,
  type ReadableSpan,
  type Sampler,
  SimpleSpanProcessor,
  type SpanExporter,
} from '@opentelemetry/sdk-trace-base'
import { onTestFinished } from 'vitest'

export interface Spans {
  readonly tracerProvider: BasicTracerProvider
  /** All that have ended, in the order in which they began. */
  all(): readonly ReadableSpan[]
  /** As text: children below their parents, with what they link to. */
  tree(): readonly string[]
}

/** An SDK that keeps spans in memory, with a context manager; both are gone when the test has finished. */
export function keepSpans(
  given: { readonly sampler?: Sampler; readonly exporter?: SpanExporter } = {},
): Spans {
  const exporter = new InMemorySpanExporter()
  const begun = new Map<string, number>()
  const order = {
    onStart: (span: ReadableSpan) => void begun.set(span.spanContext().spanId, begun.size),
    onEnd: () => {},
    forceFlush: () => Promise.resolve(),
    shutdown: () => Promise.resolve(),
  }
  const tracerProvider = new BasicTracerProvider({
    ...(given.sampler && { sampler: given.sampler }),
    spanProcessors: [order, new SimpleSpanProcessor(given.exporter ?? exporter)],
  })
  context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable())
  onTestFinished(() => {
    context.disable()
    propagation.disable()
  })
  const beginning = (span: ReadableSpan): number => begun.get(span.spanContext().spanId) ?? 0
  const all = (): readonly ReadableSpan[] =>
    exporter.getFinishedSpans().toSorted((one, other) => beginning(one) - beginning(other))
  return { tracerProvider, all, tree: () => treeOf(all()) }
}

/** Name and kind, what tells it from others, events, status, and links. */
export function treeOf(spans: readonly ReadableSpan[]): readonly string[] {
  const known = new Map(spans.map((span) => [span.spanContext().spanId, span]))
  const below = (parent: ReadableSpan | undefined, depth: number): string[] =>
    spans
      .filter((span) => known.get(span.parentSpanContext?.spanId ?? '') === parent)
      .flatMap((span) => [
        `${'  '.repeat(depth)}${described(span, known)}`,
        ...below(span, depth + 1),
      ])
  return below(undefined, 0)
}

const SHOWN = [
  'messaging.batch.message_count',
  'lineclear.call',
  'lineclear.attempt',
  'lineclear.resend_number',
  'lineclear.outcome',
  'lineclear.reason',
]

function described(span: ReadableSpan, known: ReadonlyMap<string, ReadableSpan>): string {
  const marks = SHOWN.flatMap((name) => {
    const value = span.attributes[name]
    return value === undefined ? [] : [`${name.split('.').at(-1)}=${String(value)}`]
  })
  const events = span.events.map(
    ({ attributes }) => `!${String(attributes?.['exception.message'])}`,
  )
  const status = span.status.code === SpanStatusCode.ERROR ? ['ERROR'] : []
  const links = span.links.map(({ context: { spanId } }) => {
    const linked = known.get(spanId)
    return `→${linked === undefined ? spanId : linked.name}`
  })
  return [SpanKind[span.kind], span.name, ...marks, ...events, ...status, ...links].join(' ')
}
