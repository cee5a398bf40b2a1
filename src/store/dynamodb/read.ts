import { BatchGetItemCommand, GetItemCommand } from '@aws-sdk/client-dynamodb'
import type { Key, ReadOutcome } from '../store.ts'
import { type Again, sendAllUntilSettled, sendInChunks } from './answer.ts'
import { toItem } from './attributes.ts'
import { failureOf } from './failure.ts'
import { addressIn, addressOf, keyAttributes } from './key.ts'
import type { Table } from './table.ts'
import { troubleWith } from './trouble.ts'

const KEYS_IN_A_CALL = 100
const CALLS_AT_ONCE = 4

/** One key twice in a call would be refused by DynamoDB: each is read once. */
export async function readItems(
  table: Table,
  keys: readonly Key[],
  consistent: boolean,
): Promise<readonly ReadOutcome[]> {
  const distinct = [...new Map(keys.map((key) => [addressOf(key), key])).values()]
  const outcomes =
    distinct.length === 1
      ? await Promise.all(distinct.map((key) => getOne(table, key, consistent)))
      : await sendInChunks(distinct, KEYS_IN_A_CALL, CALLS_AT_ONCE, (chunk) =>
          sendAllUntilSettled(table, chunk, (open) => getMany(table, open, consistent)),
        )
  const found = new Map(distinct.map((key, at) => [addressOf(key), outcomes[at] ?? NOT_THERE]))
  return keys.map((key) => found.get(addressOf(key)) ?? NOT_THERE)
}

const NOT_THERE: ReadOutcome = { kind: 'found', item: undefined }

async function getOne(table: Table, key: Key, ConsistentRead: boolean): Promise<ReadOutcome> {
  try {
    const input = { TableName: table.name, Key: keyAttributes(key), ConsistentRead }
    const { Item } = await table.client().send(new GetItemCommand(input))
    return { kind: 'found', item: Item && toItem(Item) }
  } catch (error) {
    return { kind: 'failed', error: failureOf(table.name, troubleWith(error), error) }
  }
}

async function getMany(
  table: Table,
  keys: readonly Key[],
  ConsistentRead: boolean,
): Promise<readonly (ReadOutcome | Again)[]> {
  try {
    const asked = { [table.name]: { Keys: keys.map(keyAttributes), ConsistentRead } }
    const command = new BatchGetItemCommand({ RequestItems: asked })
    const { Responses, UnprocessedKeys } = await table.client().send(command)
    const items = Responses?.[table.name] ?? []
    const found = new Map(items.map((item) => [addressIn(item), toItem(item)]))
    const unread = new Set(UnprocessedKeys?.[table.name]?.Keys?.map(addressIn))
    return keys.map((key) =>
      unread.has(addressOf(key))
        ? { kind: 'again', error: failureOf(table.name, 'throttled', 'unprocessed keys') }
        : { kind: 'found', item: found.get(addressOf(key)) },
    )
  } catch (error) {
    const failure = failureOf(table.name, troubleWith(error), error)
    return keys.map(() => ({ kind: 'failed', error: failure }))
  }
}
