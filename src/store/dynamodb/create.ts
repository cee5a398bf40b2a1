import type { Item, StoreKey, WriteOutcome } from '../store.ts'
import { validateKey } from '../validateWrite.ts'
import { withoutEmptySets } from '../value.ts'
import type { Retryable } from '../retries.ts'
import { toAttributeMap, toItem } from '../wire/attributes.ts'
import type { RefusedUnseen } from './batch.ts'
import { isConditionFailure } from './calls/conditionFailure.ts'
import { failedOrRetryable } from './failure.ts'
import { insertStatement } from './statement.ts'
import type { Table } from './table.ts'
import { writeAll } from './write.ts'

export function createItems(
  table: Table,
  items: readonly (Item & StoreKey)[],
): Promise<readonly WriteOutcome[]> {
  return writeAll(table, items, {
    verb: 'INSERT',
    key: (item) => item,
    one: (item) => putOne(table, item),
    statement: (item) => (validateKey(item) ? undefined : insertStatement(table.name, item)),
    written: withoutEmptySets,
  })
}

async function putOne(
  table: Table,
  item: Item & StoreKey,
): Promise<WriteOutcome | RefusedUnseen | Retryable> {
  try {
    const invalid = validateKey(item)
    if (invalid !== undefined) return { kind: 'failed', error: invalid }
    await table.call('PutItem', {
      TableName: table.name,
      Item: toAttributeMap(item),
      ConditionExpression: 'attribute_not_exists(#pk)',
      ExpressionAttributeNames: { '#pk': 'pk' },
      ReturnValuesOnConditionCheckFailure: 'ALL_OLD',
    })
    return { kind: 'applied', item: withoutEmptySets(item) }
  } catch (error) {
    if (!isConditionFailure(error)) return failedOrRetryable(table.name, error)
    return error.Item ? { kind: 'refused', item: toItem(error.Item) } : { kind: 'unseen' }
  }
}
