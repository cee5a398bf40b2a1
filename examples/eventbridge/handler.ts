import { newerThan, recordHandler } from 'lineclear'
import { dynamoDbStore } from 'lineclear/dynamodb'
import { z } from 'zod'

/** What an EventBridge rule puts on a queue: its own envelope, which is the payload here. */
const ParcelMoved = z.object({
  id: z.string(),
  time: z.iso.datetime(),
  'detail-type': z.literal('ParcelMoved'),
  detail: z.object({ parcelId: z.string(), place: z.string() }),
})

export const handler = recordHandler(
  {
    name: 'parcels',
    store: dynamoDbStore({ tableName: 'lineclear' }),
    schema: ParcelMoved,
    // EventBridge delivers an event at least once, each time with the same id. A sender that repeats PutEvents makes a new
    // event: if yours does, take an id of its own from `detail`.
    id: (event) => event.id,
    sentAt: (event) => event.time,
  },
  async ({ detail: { parcelId, place } }, ctx) => {
    const moved = await ctx.update({
      TableName: 'parcels',
      Key: { parcelId },
      set: { place },
      guard: newerThan('movedAt', ctx.sentAt),
    })
    if (!moved.applied) ctx.logger.info('an older event arrived late', { reason: moved.reason })
  },
)
