import { UpdateItemCommand } from '@aws-sdk/client-dynamodb'
import { mistakeIn } from '../validateWrite.ts'
import type { Update, WriteOutcome } from '../store.ts'
import type { Again } from '../retries.ts'
import { toItem } from '../wire/attributes.ts'
import { changesOf, toExpression } from '../wire/expression.ts'
import { failedOrAgain } from './failure.ts'
import { keyAttributes } from '../wire/key.ts'
import { updateStatement } from './statement.ts'
import type { Table } from './table.ts'
import { isRefusal } from './errorKind.ts'
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
      mistakeIn(update) ? undefined : updateStatement(table.name, update, table.partiQl),
    written: () => undefined,
  })
}

/** `attribute_exists` keeps UpdateItem from creating what is not there. */
async function updateOne(table: Table, update: Update): Promise<WriteOutcome | Again> {
  try {
    const mistake = mistakeIn(update)
    if (mistake !== undefined) return { kind: 'failed', error: mistake }
    const command = new UpdateItemCommand({
      TableName: table.name,
      Key: keyAttributes(update.key),
      ...toExpression([{ exists: 'pk' }, ...update.where], changesOf(update)),
      ReturnValues: 'ALL_NEW',
      ReturnValuesOnConditionCheckFailure: 'ALL_OLD',
    })
    const { Attributes } = await table.client().send(command)
    return { kind: 'applied', item: Attributes && toItem(Attributes) }
  } catch (error) {
    if (!isRefusal(error)) return failedOrAgain(table.name, error)
    return { kind: 'refused', item: error.Item && toItem(error.Item) }
  }
}
