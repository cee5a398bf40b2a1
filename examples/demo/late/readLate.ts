import { DynamoDBDocumentClient, ScanCommand } from '@aws-sdk/lib-dynamodb'
import type { LocalCloud } from 'lineclear/local'
import { z } from 'zod'
import { TABLES } from '../tables.ts'

const Entry = z.object({ side: z.string(), payment: z.string() })

/** The payments that a side has booked, one for each entry. */
export async function entriesOf(
  { dynamodb }: LocalCloud,
  side: string,
): Promise<readonly string[]> {
  const { Items = [] } = await DynamoDBDocumentClient.from(dynamodb).send(
    new ScanCommand({ TableName: TABLES.late.ledger, ConsistentRead: true }),
  )
  const entries = Items.map((item) => Entry.parse(item))
  return entries.filter((entry) => entry.side === side).map(({ payment }) => payment)
}
