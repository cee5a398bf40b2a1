import { Logger } from '@aws-lambda-powertools/logger'
import { defineFlow, emfMetrics } from 'lineclear'
import { dynamoDbStore } from 'lineclear/dynamodb'
import { z } from 'zod'

const Trip = z.object({ tripId: z.string(), askedAt: z.number() })
export const Found = z.object({ searchId: z.string(), price: z.number() })

export const trip = defineFlow({
  name: 'trip',
  store: dynamoDbStore({ tableName: 'lineclear' }),
  logger: new Logger({ serviceName: 'trip' }),
  metrics: emfMetrics(),
  key: ({ tripId }) => tripId,
  sentAt: ({ askedAt }) => askedAt,
  stages: {
    search: { schema: Trip, queueUrl: process.env['SEARCH_QUEUE'] },
    offer: {
      schema: Trip.extend({ price: z.number() }),
      queueUrl: process.env['OFFER_QUEUE'],
      final: true,
    },
  },
  awaitingSteps: {
    found: {
      schema: Found,
      id: ({ searchId }) => searchId,
      queueUrl: process.env['FOUND_QUEUE'],
      timeout: '5s',
    },
  },
})

/** Asks the airline, which answers later. The awaited step is stored before the question is sent. */
export const search = trip.stageHandler('search', async ({ tripId }, ctx) => {
  const searchId = ctx.idempotencyKey('search')
  await ctx.awaitStep('found', searchId, () =>
    ctx.send(process.env['AIRLINE_QUEUE'] ?? '', { searchId, tripId }),
  )
})

/** The answer of the airline carries nothing but the id that it was given. */
export const found = trip.answerHandler(
  'found',
  ({ price }, ctx) => ctx.next('offer', { tripId: ctx.key, askedAt: ctx.sentAt, price }),
  { onTimeout: (ctx) => ctx.next('offer', { tripId: ctx.key, askedAt: ctx.sentAt, price: 0 }) },
)

export const offer = trip.stageHandler('offer', async ({ tripId, price }, ctx) => {
  await ctx.write('offer', {
    TableName: 'offers',
    Key: { tripId },
    set: { price },
    add: { made: 1 },
  })
})
