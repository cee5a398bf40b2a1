import type { TransactWriteItem } from '@aws-sdk/client-dynamodb'
import type { Condition, RawWrite, Update, UserCondition, UserWrite } from '../store.ts'
import { type Attributes, toAttributes } from './attributes.ts'
import { type Changes, changesNothing, changesOf, toExpression } from './expression.ts'
import { keyAttributes } from './key.ts'

/** Checks the claim, and marks it if there is something to mark. */
export function claimAction(tableName: string, claim: Update): TransactWriteItem {
  const where = [{ exists: 'pk' }, ...claim.where]
  return changeOrCheck(tableName, keyAttributes(claim.key), where, changesOf(claim))
}

/** What `put` holds of the key gives way to `Key`: one write has one key. */
export function userAction(write: UserWrite | RawWrite): TransactWriteItem {
  if ('raw' in write) return write.raw
  const { TableName, where } = write
  const Key = toAttributes(write.Key, TableName)
  if ('put' in write) {
    const Item = { ...toAttributes(write.put, TableName), ...Key }
    return { Put: { TableName, Item, ...toExpression(where), ...SHOW_REFUSING } }
  }
  if ('delete' in write) {
    return { Delete: { TableName, Key, ...toExpression(where), ...SHOW_REFUSING } }
  }
  const { set = {}, add = {}, remove = [] } = write
  return changeOrCheck(TableName, Key, where, { set, add, remove })
}

const SHOW_REFUSING = { ReturnValuesOnConditionCheckFailure: 'ALL_OLD' } as const

/** DynamoDB has no update without a change and no check without a condition. */
function changeOrCheck(
  TableName: string,
  Key: Attributes,
  where: readonly (Condition | UserCondition)[],
  changes: Changes,
): TransactWriteItem {
  if (!changesNothing(changes)) {
    return { Update: { TableName, Key, ...toExpression(where, changes), ...SHOW_REFUSING } }
  }
  const always = [{ all: [] }]
  const condition = toExpression(where.length > 0 ? where : always)
  return { ConditionCheck: { TableName, Key, ...condition, ...SHOW_REFUSING } }
}
