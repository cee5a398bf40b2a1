import type { TransactWriteItem } from '@aws-sdk/client-dynamodb'
import type {
  BesideClaim,
  Creation,
  RawWrite,
  Update,
  UserCondition,
  UserWrite,
  UserItem,
} from '../store.ts'
import { IS_OF_OUR_FORMAT } from '../format.ts'
import { wrongNames } from '../validateWrite.ts'
import { type AttributeMap, assertValid, toAttributeMap, keyAttributes } from './attributes.ts'
import { type Changes, changesNothing, changesOf, toExpression } from './expression.ts'

/** Creates the claim, or marks it. */
export function claimAction(TableName: string, claim: Update | Creation): TransactWriteItem {
  if ('create' in claim) {
    const condition = toExpression([{ absent: 'pk' }])
    return {
      Put: { TableName, Item: toAttributeMap(claim.create), ...condition, ...SHOW_REFUSING },
    }
  }
  const expression = toExpression([IS_OF_OUR_FORMAT, ...claim.where], changesOf(claim))
  return { Update: { TableName, Key: keyAttributes(claim.key), ...expression, ...SHOW_REFUSING } }
}

/**
 * Attributes of the key in `put` are replaced by those of `Key`, because one write has one key.
 * @throws TerminalError naming what cannot be stored.
 */
export function userAction(write: UserWrite | RawWrite): TransactWriteItem {
  if ('raw' in write) return write.raw
  const { TableName, where } = write
  const Key = toAttributeMap(write.Key, TableName)
  if ('put' in write) {
    assertValid(wrongNames(Object.keys(write.put), []), TableName)
    const Item = { ...toAttributeMap(write.put, TableName), ...Key }
    const condition = toExpression(where, undefined, TableName)
    return { Put: { TableName, Item, ...condition, ...SHOW_REFUSING } }
  }
  if ('delete' in write) {
    const condition = toExpression(where, undefined, TableName)
    return { Delete: { TableName, Key, ...condition, ...SHOW_REFUSING } }
  }
  const { set = {}, add = {}, remove = [] } = write
  const changed = [...Object.keys(set), ...Object.keys(add), ...remove]
  assertValid(wrongNames(changed, Object.keys(Key)), TableName)
  return changeOrCheck(TableName, Key, where, { set, add, remove })
}

const SHOW_REFUSING = { ReturnValuesOnConditionCheckFailure: 'ALL_OLD' } as const

/** DynamoDB has no update without a change and no check without a condition. */
function changeOrCheck(
  TableName: string,
  Key: AttributeMap,
  where: readonly UserCondition[],
  changes: Changes,
): TransactWriteItem {
  if (!changesNothing(changes)) {
    return {
      Update: { TableName, Key, ...toExpression(where, changes, TableName), ...SHOW_REFUSING },
    }
  }
  const always = [{ all: [] }]
  const condition = toExpression(where.length > 0 ? where : always, undefined, TableName)
  return { ConditionCheck: { TableName, Key, ...condition, ...SHOW_REFUSING } }
}

/** Whether it is a write into the user's tables in the store's own form, which every store can execute. */
export function isUserWrite(write: BesideClaim): write is UserWrite {
  return 'TableName' in write
}

/**
 * @param own the framework's table
 * @returns '' when a raw item names no table
 */
export function tableOf(
  write: { readonly TableName: string } | RawWrite | Creation,
  own: string = '',
): string {
  if ('create' in write) return own
  if (!('raw' in write)) return write.TableName
  const { Put, Update, Delete, ConditionCheck } = write.raw
  return (Put ?? Update ?? Delete ?? ConditionCheck)?.TableName ?? ''
}

/** TypeScript allows an attribute to be `undefined`, which means that it is missing. */
export function withoutUndefined<W extends BesideClaim>(write: W): W {
  if ('raw' in write || 'create' in write) return write
  if ('put' in write) return { ...write, put: defined(write.put) }
  if ('delete' in write || write.set === undefined) return write
  return { ...write, set: defined(write.set) }
}

function defined(item: UserItem): UserItem {
  const isDefined = ([, value]: [string, unknown]): boolean => value !== undefined
  return Object.fromEntries(Object.entries(item).filter(isDefined))
}
