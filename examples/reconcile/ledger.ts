import { DynamoDBClient } from '@aws-sdk/client-dynamodb'
import { DynamoDBDocumentClient, paginateScan } from '@aws-sdk/lib-dynamodb'
import type { LedgerRow } from 'lineclear/operator'

/** The bookings of a DynamoDB table. Read consistently: what has just completed must be there. */
export default async function* bookings(): AsyncGenerator<LedgerRow> {
  const client = DynamoDBDocumentClient.from(new DynamoDBClient())
  const pages = paginateScan({ client }, { TableName: 'bookings', ConsistentRead: true })
  for await (const { Items = [] } of pages) {
    for (const { orderId, bookedAt } of Items) yield { id: orderId, at: bookedAt }
  }
}
