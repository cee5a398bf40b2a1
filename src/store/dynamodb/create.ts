import { PutItemCommand } from '@aws-sdk/client-dynamodb'
import type { Item, Key, WriteOutcome } from '../store.ts'
import { mistakeInKey } from '../validateWrite.ts'
import { withoutEmptySets } from '../value.ts'
import type { Again } from '../retries.ts'
import { toAttributes, toItem } from '../wire/attributes.ts'
import type { Unseen } from './batch.ts'
import { failedOrAgain } from './failure.ts'
import { insertStatement } from './statement.ts'
import type { Table } from './table.ts'
import { isRefusal } from './errorKind.ts'
import { writeAll } from './write.ts'

export function createItems(
  table: Table,
  items: readonly (Item & Key)[],
): Promise<readonly WriteOutcome[]> {
  return writeAll(table, items, {
    verb: 'INSERT',
    key: (item) => item,
    one: (item) => putOne(table, item),
    statement: (item) => (mistakeInKey(item) ? undefined : insertStatement(table.name, item)),
    written: withoutEmptySets,
  })
}

async function putOne(table: Table, item: Item & Key): Promise<WriteOutcome | Unseen | Again> {
  try {
    const mistake = mistakeInKey(item)
    if (mistake !== undefined) return { kind: 'failed', error: mistake }
    const command = new PutItemCommand({
      TableName: table.name,
      Item: toAttributes(item),
      ConditionExpression: 'attribute_not_exists(#pk)',
      ExpressionAttributeNames: { '#pk': 'pk' },
      ReturnValuesOnConditionCheckFailure: 'ALL_OLD',
    })
    await table.client().send(command)
    return { kind: 'applied', item: withoutEmptySets(item) }
  } catch (error) {
    if (!isRefusal(error)) return failedOrAgain(table.name, error)
    return error.Item ? { kind: 'refused', item: toItem(error.Item) } : { kind: 'unseen' }
  }
}
