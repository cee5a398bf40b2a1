import { GetItemCommand } from '@aws-sdk/client-dynamodb'
import type { UserItem, UserKey } from '../store.ts'
import { toAttributes, toUserItem } from './attributes.ts'
import { badEntry, failureOf } from './failure.ts'
import type { Table } from './table.ts'
import { troubleWith } from './trouble.ts'

/** @throws StoreUnavailableError, or TerminalError when the key does not fit the table. */
export async function readUserItem(
  table: Table,
  { TableName, Key }: UserKey,
): Promise<UserItem | undefined> {
  const command = new GetItemCommand({ TableName, Key: toAttributes(Key), ConsistentRead: true })
  try {
    const { Item } = await table.client().send(command)
    return Item && toUserItem(Item)
  } catch (error) {
    const trouble = troubleWith(error)
    throw trouble === 'badEntry' ? badEntry(TableName, error) : failureOf(TableName, trouble, error)
  }
}
