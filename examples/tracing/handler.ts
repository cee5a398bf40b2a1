import { Logger } from '@aws-lambda-powertools/logger'
import { defineFlow, emfMetrics } from 'lineclear'
import { dynamoDbStore } from 'lineclear/dynamodb'
import { openTelemetry } from 'lineclear/opentelemetry'
import { z } from 'zod'
import { reserve } from './hotel.ts'

const Trip = z.object({ tripId: z.string() })
const Price = z.object({ quoteId: z.string(), price: z.number() })

export const holiday = defineFlow({
  name: 'holiday',
  store: dynamoDbStore({ tableName: 'lineclear' }),
  logger: new Logger({ serviceName: 'holiday' }),
  metrics: emfMetrics(),
  tracing: openTelemetry(),
  key: ({ tripId }) => tripId,
  retry: { delay: '1s' },
  stages: {
    ask: { schema: Trip, queueUrl: process.env['ASK_QUEUE'] },
    book: {
      schema: Trip.extend({ price: z.number() }),
      queueUrl: process.env['BOOK_QUEUE'],
      final: true,
    },
  },
  awaitingSteps: {
    quote: { schema: Price, id: ({ quoteId }) => quoteId, queueUrl: process.env['QUOTE_QUEUE'] },
  },
})

/** The first Lambda asks a hotel, which answers later and knows nothing of traces. */
export const ask = holiday.stageHandler('ask', async ({ tripId }, ctx) => {
  const quoteId = ctx.idempotencyKey('quote')
  await ctx.awaitStep('quote', quoteId, () =>
    ctx.send(process.env['HOTEL_QUEUE'] ?? '', { quoteId, tripId }),
  )
})

/** The second Lambda takes its answer. */
export const quote = holiday.answerHandler('quote', ({ price }, ctx) =>
  ctx.next('book', { tripId: ctx.key, price }),
)

/** The third Lambda. What the call opens is a child of its span: here the request that it makes. */
export const book = holiday.stageHandler('book', async ({ tripId, price }, ctx) => {
  await ctx.call('reserve', ({ idempotencyKey }) => reserve(tripId, price, idempotencyKey))
})
