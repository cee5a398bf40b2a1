import {
  BasicTracerProvider,
  InMemorySpanExporter,
  SimpleSpanProcessor,
} from '@opentelemetry/sdk-trace-base'
import type { LocalCloud } from 'lineclear/local'
import { openTelemetry } from 'lineclear/opentelemetry'
import { fakeClock, memoryStore } from 'lineclear/testing'
import { vi } from 'vitest'
import { quietLogger } from '../../deliver/quietLogger.ts'

/** Each stands in for customer data in one place. */
export const SECRET = {
  body: 'CANARY-body-4f1',
  number: 4_111_111_111_111_111,
  attribute: 'CANARY-attribute-9c2',
  key: 'CANARY-key-77a',
  header: 'CANARY-header-3bd',
  result: 'CANARY-result-e05',
  answer: 'CANARY-answer-61f',
} as const
const WORDS = ['canary', String(SECRET.number)]

/** The harness of a test; it records everything that is logged, printed, thrown or traced. */
export function watch(cloud: LocalCloud) {
  const logger = quietLogger()
  const said: unknown[] = []
  const clock = fakeClock()
  const store = memoryStore()
  for (const level of ['debug', 'info', 'log', 'warn', 'error'] as const) {
    vi.spyOn(console, level).mockImplementation((...words: unknown[]) => said.push(words))
  }
  const dead = cloud.queueUrl('dead')
  const exporter = new InMemorySpanExporter()
  const spanProcessors = [new SimpleSpanProcessor(exporter)]
  const tracing = openTelemetry({ tracerProvider: new BasicTracerProvider({ spanProcessors }) })
  const spans = (): unknown =>
    exporter
      .getFinishedSpans()
      .map(({ name, attributes, events, status }) => ({ name, attributes, events, status }))
  const noWait = { ...clock, sleep: async () => {} }
  const options = { store, logger, clock: noWait, clients: { sqs: cloud.sqs }, tracing }
  return {
    store,
    clock,
    options,
    /** Options of functions with a key, which send nothing. */
    keyed: { store, logger, clock: options.clock },
    locks: { logger, clock: options.clock },
    events: { logger, clock: options.clock, clients: { sqs: cloud.sqs } },
    lines: logger.lines,
    /** Options of consumers. */
    consumer: { ...options, queueUrl: cloud.queueUrl('work'), deadLetterQueueUrl: dead },
    /** What a caller got: an answer, or an error. */
    async hear(call: () => unknown): Promise<unknown> {
      const heard = await begin(call).catch((error: unknown) => textsOf(error))
      said.push(heard)
      return heard
    },
    /** Secrets in what was logged, printed, thrown or traced, with the text around them. */
    leaks: () => leaksIn(JSON.stringify([logger.lines, said, spans()], asText)),
    heard: () => JSON.stringify([logger.lines, said], asText),
  }
}

async function begin(call: () => unknown): Promise<unknown> {
  return call()
}

/** An error with its stack and causes, as a log shows it. */
function textsOf(error: unknown): readonly string[] {
  if (!(error instanceof Error)) return [String(error)]
  return [
    String(error),
    error.stack ?? '',
    ...(error.cause === undefined ? [] : textsOf(error.cause)),
  ]
}

function asText(_name: string, value: unknown): unknown {
  if (value instanceof Error) return textsOf(value)
  return typeof value === 'bigint' ? String(value) : value
}

function leaksIn(text: string): readonly string[] {
  const low = text.toLowerCase()
  return WORDS.flatMap((word) => {
    const at = low.indexOf(word)
    return at < 0 ? [] : [text.slice(Math.max(at - 120, 0), at + 40)]
  })
}
