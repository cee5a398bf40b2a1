import { Logger } from '@aws-lambda-powertools/logger'
import { emfMetrics, eventBridge, newerThan, recordHandler } from 'lineclear'
import { dynamoDbStore } from 'lineclear/dynamodb'
import { z } from 'zod'

/** The `detail` of the event; the event around it is in `ctx.envelope.eventBridge`. */
const ParcelMoved = z.object({ parcelId: z.string(), place: z.string() })

export const handler = recordHandler(
  {
    name: 'parcels',
    store: dynamoDbStore({ tableName: 'lineclear' }),
    schema: ParcelMoved,
    // EventBridge delivers an event at least once, each time with the same id. A sender that repeats PutEvents makes a new
    // event: if yours does, take an id of its own from the payload with the option id.
    envelopes: [eventBridge({ sources: ['my.parcels'] })],
    logger: new Logger({ serviceName: 'parcels' }),
    metrics: emfMetrics(),
  },
  async ({ parcelId, place }, ctx) => {
    const moved = await ctx.write('move', {
      TableName: 'parcels',
      Key: { parcelId },
      set: { place },
      guard: newerThan('movedAt', ctx.sentAt),
    })
    if (!moved.applied) ctx.logger.info('an older event arrived late', { reason: moved.reason })
  },
)
