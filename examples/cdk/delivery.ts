import { defineFlow, emfMetrics, type RecordHandlerOptions } from 'lineclear'
import { dynamoDbStore } from 'lineclear/dynamodb'
import { z } from 'zod'

const Order = z.object({ orderId: z.string(), changedAt: z.number() })
const Booking = z.object({ bookingId: z.string(), parcel: z.string() })

/** What differs between Lambda and a test. */
type Given = Pick<RecordHandlerOptions, 'store' | 'clients' | 'clock' | 'logger' | 'metrics'>

/**
 * Models of outside systems: the same id or key does it once. The carrier answers later, with its booking on the queue of
 * `booked`.
 */
const systems = {
  book: async (_orderId: string, _bookingId: string): Promise<void> => {},
  ship: async (parcel: string, key: string): Promise<string> => `label ${key} of ${parcel}`,
}

/** Only the newest request of each order matters. */
export function stages(given: Given, { book, ship } = systems) {
  const flow = defineFlow({
    name: 'delivery',
    key: ({ orderId }) => orderId,
    // A change that its producer sends twice is one request.
    id: ({ orderId, changedAt }) => `${orderId}/${changedAt}`,
    sentAt: ({ changedAt }) => changedAt,
    stages: {
      pack: { schema: Order, queueUrl: process.env['PACK_QUEUE'] },
      ship: {
        schema: Order.extend({ parcel: z.string() }),
        queueUrl: process.env['SHIP_QUEUE'],
        final: true,
      },
    },
    awaitingSteps: {
      booked: {
        schema: Booking,
        id: ({ bookingId }) => bookingId,
        queueUrl: process.env['BOOKED_QUEUE'],
        // No answer by then is a dead letter, unless the handler of `booked` has `onTimeout`.
        timeout: '1h',
      },
    },
    ...given,
  })
  return {
    flow,
    pack: flow.stageHandler('pack', async ({ orderId }, ctx) => {
      const bookingId = ctx.idempotencyKey('book')
      await ctx.awaitStep('booked', bookingId, () => book(orderId, bookingId))
    }),
    booked: flow.answerHandler('booked', ({ parcel }, ctx) =>
      ctx.next('ship', { orderId: ctx.key, changedAt: ctx.sentAt, parcel }),
    ),
    ship: flow.stageHandler('ship', async ({ parcel }, ctx) => {
      await ctx.call('ship', ({ idempotencyKey }) => ship(parcel, idempotencyKey))
    }),
  }
}

const store = dynamoDbStore({ tableName: process.env['LINECLEAR_TABLE'] ?? 'lineclear' })

/** `flow.start` begins a run, `flow.answer` hands in an answer, such as from a webhook. */
export const { flow, pack, booked, ship } = stages({ store, metrics: emfMetrics() })
