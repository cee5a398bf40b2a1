import type { ReadableSpan } from '@opentelemetry/sdk-trace-base'

const NAMES = 62
const BARS = 28

/** One line for each span of the trace: parents above their children, and when each of them ran. */
export function waterfall(spans: readonly ReadableSpan[], traceId: string): readonly string[] {
  const own = spans
    .filter((span) => span.spanContext().traceId === traceId)
    .toSorted((one, other) => startOf(one) - startOf(other))
  const ids = new Set(own.map((span) => span.spanContext().spanId))
  const from = Math.min(...own.map(startOf))
  const scale = BARS / (Math.max(...own.map(endOf)) - from)
  const lines = (parent: string | undefined, depth: number): readonly string[] =>
    own
      .filter(({ parentSpanContext }) => parentIn(ids, parentSpanContext?.spanId) === parent)
      .flatMap((span) => [
        `${`${'  '.repeat(depth)}${label(span)}`.padEnd(NAMES)}${bar(span, from, scale)}`.trimEnd(),
        ...lines(span.spanContext().spanId, depth + 1),
      ])
  return lines(undefined, 0)
}

function parentIn(ids: ReadonlySet<string>, id: string | undefined): string | undefined {
  return id !== undefined && ids.has(id) ? id : undefined
}

function label({ name, attributes, events }: ReadableSpan): string {
  const { 'lineclear.call': call, 'lineclear.outcome': outcome } = attributes
  const attempt = Number(attributes['lineclear.attempt'] ?? 1)
  const marks = [
    ...(attempt > 1 ? [`attempt ${attempt}`] : []),
    ...(outcome === undefined ? [] : [String(outcome)]),
    ...events.map((event) => `! ${String(event.attributes?.['exception.message'])}`),
  ]
  return [
    name,
    ...(call === undefined ? [] : [String(call)]),
    ...(marks.length === 0 ? [] : [`[${marks.join(', ')}]`]),
  ].join(' ')
}

function bar(span: ReadableSpan, from: number, scale: number): string {
  const begin = Math.floor((startOf(span) - from) * scale)
  const length = Math.max(Math.round((endOf(span) - startOf(span)) * scale), 1)
  return `${' '.repeat(Math.min(begin, BARS - 1))}${'█'.repeat(length)}`
}

function startOf({ startTime: [seconds, nanoseconds] }: ReadableSpan): number {
  return seconds * 1_000 + nanoseconds / 1_000_000
}

function endOf({ endTime: [seconds, nanoseconds] }: ReadableSpan): number {
  return seconds * 1_000 + nanoseconds / 1_000_000
}
