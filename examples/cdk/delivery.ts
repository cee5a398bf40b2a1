import { defineFlow, emfMetrics, type RecordHandlerOptions } from 'lineclear'
import { dynamoDbStore } from 'lineclear/dynamodb'
import { z } from 'zod'

const Order = z.object({ orderId: z.string(), changedAt: z.number() })

/** What differs between Lambda and a test. */
type Given = Pick<RecordHandlerOptions, 'store' | 'sqs' | 'clock' | 'logger' | 'metrics'>

/** Stand for outside systems: the same key does it once. */
const systems = {
  pack: async (orderId: string, key: string): Promise<string> => `parcel ${key} of ${orderId}`,
  ship: async (parcel: string, key: string): Promise<string> => `label ${key} of ${parcel}`,
}

/** Of each order only the newest request matters. */
export function stages(given: Given, { pack, ship } = systems) {
  const flow = defineFlow({
    name: 'delivery',
    key: ({ orderId }) => orderId,
    sentAt: ({ changedAt }) => changedAt,
    stages: {
      pack: { schema: Order, queueUrl: process.env['PACK_QUEUE'] },
      ship: {
        schema: Order.extend({ parcel: z.string() }),
        queueUrl: process.env['SHIP_QUEUE'],
        final: true,
      },
    },
    ...given,
  })
  return {
    pack: flow.handle('pack', async (order, ctx) => {
      const parcel = await ctx.once('pack', ({ idempotencyKey }) =>
        pack(order.orderId, idempotencyKey),
      )
      await ctx.send('ship', { ...order, parcel })
    }),
    ship: flow.handle('ship', async ({ parcel }, ctx) => {
      await ctx.once('ship', ({ idempotencyKey }) => ship(parcel, idempotencyKey))
    }),
  }
}

const store = dynamoDbStore({ tableName: process.env['LINECLEAR_TABLE'] ?? 'lineclear' })

export const { pack, ship } = stages({ store, metrics: emfMetrics() })
