import { SendMessageCommand } from '@aws-sdk/client-sqs'
import { context, trace } from '@opentelemetry/api'
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks'
import {
  BasicTracerProvider,
  InMemorySpanExporter,
  SimpleSpanProcessor,
} from '@opentelemetry/sdk-trace-base'
import type { SQSEvent } from 'aws-lambda'
import { tableDefinition } from 'lineclear/dynamodb'
import { mapQueue, startLocalCloud } from 'lineclear/local'
import { z } from 'zod'
import { type Keep, stopAtEnd } from '../keep.ts'
import { untilQuiet } from '../quiet.ts'
import { waterfall } from './waterfall.ts'

export interface TracingResult {
  readonly spans: number
  /** Lines of the requests' traces, as they are printed. */
  readonly lines: readonly string[]
}

const QUEUE = { visibilityTimeout: 18, deadLetter: { queue: 'dead', maxReceiveCount: 10 } }
const Question = z.object({ quoteId: z.string() })

/** Prints each request as its trace shows it: three Lambdas, an answer from outside, and a retry. */
export async function run(
  trips: number,
  say: (line: string) => void,
  keep: Keep = stopAtEnd,
): Promise<TracingResult> {
  const exporter = new InMemorySpanExporter()
  trace.setGlobalTracerProvider(
    new BasicTracerProvider({ spanProcessors: [new SimpleSpanProcessor(exporter)] }),
  )
  context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable())
  try {
    await using cloud = await startLocalCloud({
      queues: { ask: QUEUE, quote: QUEUE, book: QUEUE, hotel: QUEUE, dead: {} },
      tables: { lineclear: tableDefinition() },
    })
    Object.assign(process.env, cloud.environment, {
      ASK_QUEUE: cloud.queueUrl('ask'),
      QUOTE_QUEUE: cloud.queueUrl('quote'),
      BOOK_QUEUE: cloud.queueUrl('book'),
      HOTEL_QUEUE: cloud.queueUrl('hotel'),
    })
    const { holiday, ask, quote, book } = await import('./handler.ts')
    /** Answers like any system that knows neither Lineclear nor traces. */
    const hotel = async ({ Records }: SQSEvent): Promise<{ batchItemFailures: [] }> => {
      for (const { body } of Records) {
        const { quoteId } = Question.parse(JSON.parse(body))
        const QueueUrl = cloud.queueUrl('quote')
        const MessageBody = JSON.stringify({ quoteId, price: 90 })
        await cloud.sqs.send(new SendMessageCommand({ QueueUrl, MessageBody }))
      }
      return { batchItemFailures: [] }
    }
    const mappings = Object.entries({ ask, quote, book, hotel }).map(([queue, handler]) =>
      mapQueue({ cloud, queue, handler, functionTimeout: '3s' }),
    )
    const traceIds: string[] = []
    for (let number = 1; number <= trips; number++) {
      await trace.getTracer('api').startActiveSpan('POST /trips', async (span) => {
        await holiday.start({ tripId: `trip-${number}` })
        traceIds.push(span.spanContext().traceId)
        span.end()
      })
    }
    await untilQuiet(mappings)
    const spans = exporter.getFinishedSpans()
    const lines = traceIds.flatMap((traceId) => waterfall(spans, traceId))
    for (const line of lines) say(line)
    await keep(cloud)
    return { spans: spans.length, lines }
  } finally {
    trace.disable()
    context.disable()
  }
}
