import { GetItemCommand } from '@aws-sdk/client-dynamodb'
import type { UserItem, UserKey } from '../store.ts'
import { toAttributeMap, toUserItem } from '../wire/attributes.ts'
import { userFailure } from './failure.ts'
import { answered } from './calls/answered.ts'
import type { Table } from './table.ts'
import { kindOfError } from './errorKind.ts'

/**
 * @throws StoreUnavailableError when the table gives no answer; TerminalError when the key does not fit it; RetryableError
 * when there is no such table, or the role may not read it.
 */
export async function readUserItem(
  table: Table,
  { TableName, Key }: UserKey,
): Promise<UserItem | undefined> {
  const input = { TableName, Key: toAttributeMap(Key, TableName), ConsistentRead: true }
  try {
    const client = table.client()
    const { Item } = await answered(client, client.send(new GetItemCommand(input)))
    return Item && toUserItem(Item)
  } catch (error) {
    throw userFailure(TableName, kindOfError(error), error)
  }
}
