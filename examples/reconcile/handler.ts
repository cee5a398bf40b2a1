import { randomUUID } from 'node:crypto'
import { Logger } from '@aws-lambda-powertools/logger'
import { recordHandler } from 'lineclear'
import { dynamoDbStore } from 'lineclear/dynamodb'
import { z } from 'zod'

const OrderPaid = z.object({ orderId: z.string(), cents: z.int() })

/** Books each paid order once: a row of a table of your own. */
export const handler = recordHandler(
  {
    name: 'bookings',
    store: dynamoDbStore({ tableName: 'lineclear' }),
    schema: OrderPaid,
    id: ({ orderId }) => orderId,
    logger: new Logger({ serviceName: 'bookings' }),
  },
  async ({ orderId, cents }, ctx) => {
    await ctx.write('book', {
      TableName: 'bookings',
      Key: { bookingId: randomUUID() },
      put: { orderId, cents, bookedAt: new Date().toISOString() },
    })
  },
)
