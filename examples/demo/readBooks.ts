import { DynamoDBDocumentClient, paginateScan } from '@aws-sdk/lib-dynamodb'
import type { LocalCloud } from 'lineclear/local'
import { z } from 'zod'
import type { SideName } from './demoCloud.ts'
import { sentBody } from './notification.ts'
import type { Found } from './reconcile.ts'
import { TABLES } from './tables.ts'

const Entry = z.object({
  entryId: z.string(),
  transactionId: z.string(),
  account: z.string(),
  amount: z.number(),
})
const Account = z.object({ account: z.string(), balance: z.number() })
const Receipt = z.object({ transactionId: z.string(), taken: z.number() })

/** Reads what a side has written, straight from its tables. */
export async function readBooks(cloud: LocalCloud, side: SideName): Promise<Found> {
  const tables = TABLES[side]
  const [entries, accounts, receipts] = await Promise.all([
    scan(cloud, tables.ledger, Entry),
    scan(cloud, tables.accounts, Account),
    scan(cloud, tables.receipts, Receipt),
  ])
  const letters = cloud.inspectQueue(`${side}-callbacks-dead`).ready
  const topicArn = cloud.topicArn(`${side}-callbacks`)
  return {
    entries,
    balances: new Map(accounts.map(({ account, balance }) => [account, balance])),
    receipts: new Map(receipts.map(({ transactionId, taken }) => [transactionId, taken])),
    dead: new Set(letters.map(({ body }) => sentBody(body, topicArn))),
  }
}

async function scan<Row>(
  cloud: LocalCloud,
  TableName: string,
  rows: z.ZodType<Row>,
): Promise<readonly Row[]> {
  const client = DynamoDBDocumentClient.from(cloud.dynamodb)
  const found: Row[] = []
  for await (const { Items = [] } of paginateScan(
    { client },
    { TableName, ConsistentRead: true },
  )) {
    found.push(...Items.map((item) => rows.parse(item)))
  }
  return found
}
