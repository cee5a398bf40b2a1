import { DynamoDBClient } from '@aws-sdk/client-dynamodb'
import {
  DeleteCommand,
  DynamoDBDocumentClient,
  GetCommand,
  PutCommand,
} from '@aws-sdk/lib-dynamodb'

const tables = DynamoDBDocumentClient.from(new DynamoDBClient())
const TableName = 'executions'
const seconds = (): number => Date.now() / 1_000

/**
 * What `withIdempotency` of idempotender does at commit 0c99f26 (`core/src/core.ts`, `db.ts`, `withIdempotency.ts`), which is not
 * published on npm. A lock that has expired counts as open, but its condition lets no caller acquire it, and no code checks whether it
 * was acquired.
 */
export async function withIdempotency<T>(run: () => Promise<T>, Id: string): Promise<T> {
  const giveUpAt = seconds() + 1
  let isOpen: boolean
  let wait = 500
  do {
    const { Item } = await tables.send(
      new GetCommand({ TableName, Key: { Id }, ConsistentRead: true }),
    )
    if (Item?.['outputSaved'] === true) return Item['output'] as T
    isOpen = Item === undefined || seconds() >= Number(Item['lockTTL'])
    if (isOpen && (await acquire(Id))) break
    await new Promise((resolve) => setTimeout(resolve, wait))
    wait *= 2
  } while (seconds() < giveUpAt)
  if (!isOpen) throw new Error(`locked: ${Id}`)
  try {
    const output = await run()
    const Item = { Id, lockTTL: 0, outputSaved: true, output }
    await tables.send(new PutCommand({ TableName, Item }))
    return output
  } catch (error) {
    await tables.send(new DeleteCommand({ TableName, Key: { Id } }))
    throw error
  }
}

async function acquire(Id: string): Promise<boolean> {
  const Item = { Id, lockTTL: seconds() + 60, outputSaved: false }
  const ConditionExpression = 'attribute_not_exists(Id) OR lockTTL = :none'
  const ExpressionAttributeValues = { ':none': 0 }
  return tables
    .send(new PutCommand({ TableName, Item, ConditionExpression, ExpressionAttributeValues }))
    .then(
      () => true,
      () => false,
    )
}
