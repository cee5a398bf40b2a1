import { writeHandler } from 'lineclear'
import { dynamoDbStore } from 'lineclear/dynamodb'
import { z } from 'zod'

const Booking = z.object({
  bookingId: z.string(),
  account: z.string(),
  cents: z.number().int(),
})

/** Books an amount and keeps the line of it, both or none, once for each booking. The writes are all that the handler does. */
export const handler = writeHandler(
  {
    name: 'bookings',
    store: dynamoDbStore({ tableName: 'lineclear' }),
    schema: Booking,
    id: ({ bookingId }) => bookingId,
  },
  ({ bookingId, account, cents }, ctx) => [
    { TableName: 'accounts', Key: { account }, add: { cents } },
    { TableName: 'lines', Key: { bookingId }, put: { account, cents, at: ctx.sentAt } },
  ],
)
