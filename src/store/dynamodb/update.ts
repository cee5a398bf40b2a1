import { validateUpdate } from '../validateWrite.ts'
import type { Update, WriteOutcome } from '../store.ts'
import type { Retryable } from '../retries.ts'
import { toItem } from '../wire/attributes.ts'
import { changesOf, toExpression } from '../wire/expression.ts'
import { isConditionFailure } from './calls/conditionFailure.ts'
import { failedOrRetryable } from './failure.ts'
import { keyAttributes } from '../wire/key.ts'
import { updateStatement } from './statement.ts'
import type { Table } from './table.ts'
import { writeAll } from './write.ts'

export function updateItems(
  table: Table,
  updates: readonly Update[],
): Promise<readonly WriteOutcome[]> {
  return writeAll(table, updates, {
    verb: 'UPDATE',
    key: ({ key }) => key,
    one: (update) => updateOne(table, update),
    statement: (update) =>
      validateUpdate(update) ? undefined : updateStatement(table.name, update, table.partiQl),
    written: () => undefined,
  })
}

/** `attribute_exists` keeps UpdateItem from creating a missing item. */
async function updateOne(table: Table, update: Update): Promise<WriteOutcome | Retryable> {
  try {
    const invalid = validateUpdate(update)
    if (invalid !== undefined) return { kind: 'failed', error: invalid }
    const { Attributes } = await table.call('UpdateItem', {
      TableName: table.name,
      Key: keyAttributes(update.key),
      ...toExpression([{ exists: 'pk' }, ...update.where], changesOf(update)),
      ReturnValues: update.needsNoItem ? undefined : 'ALL_NEW',
      ReturnValuesOnConditionCheckFailure: 'ALL_OLD',
    })
    return { kind: 'applied', item: Attributes && toItem(Attributes) }
  } catch (error) {
    if (!isConditionFailure(error)) return failedOrRetryable(table.name, error)
    return { kind: 'refused', item: error.Item && toItem(error.Item) }
  }
}
