import { DynamoDBClient } from '@aws-sdk/client-dynamodb'
import { DynamoDBDocumentClient, paginateScan } from '@aws-sdk/lib-dynamodb'
import { z } from 'zod'

const Booking = z.object({ orderId: z.string(), bookedAt: z.string() })

/** The bookings of a DynamoDB table. Read consistently: what has just completed must be there. */
export default async function* bookings(): AsyncGenerator<{ id: string; at: string }> {
  const client = DynamoDBDocumentClient.from(new DynamoDBClient())
  const pages = paginateScan({ client }, { TableName: 'bookings', ConsistentRead: true })
  for await (const { Items = [] } of pages) {
    for (const item of Items) {
      const { orderId, bookedAt } = Booking.parse(item)
      yield { id: orderId, at: bookedAt }
    }
  }
}
