import * as DYNAMODB from '../../base/limits/dynamodb.ts'
import { TerminalError } from '../../base/errors.ts'
import { kindOf } from '../../base/kindOf.ts'
import {
  type WireAction,
  wrongAction,
  type TableKeys,
  wrongIndexKeys,
} from '../../base/limits/wrongAction.ts'
import { itemBytes, type WireItem, wrongItem, wrongValue } from '../../base/limits/wireValue.ts'
import type { RawWrite, UserCondition, UserItem, UserKey, UserWrite } from '../store.ts'
import { orTerminalError, invalidWrite } from '../validateWrite.ts'
import { isUserWrite, tableOf, userAction } from '../wire/transactItem.ts'
import { canonical, isMap } from '../value.ts'
import { toAttribute, toAttributeMap, toUserItem } from '../wire/attributes.ts'

/**
 * Checks what DynamoDB refuses before it looks at the items, so that a test with the memory store finds it.
 * @param keysOf the keys of a table, if they are known
 */
export function validateUserWrites(
  writes: readonly (UserWrite | RawWrite)[],
  keysOf: (table: string) => TableKeys | undefined = () => undefined,
): TerminalError | undefined {
  for (const write of writes) {
    const table = keysOf(tableOf(write))
    const wrong = isUserWrite(write) ? validateUserWrite(write, table) : validateRaw(write, table)
    if (wrong !== undefined) return wrong
  }
  return tooMany(writes) ?? onOneItem(writes.filter(isUserWrite))
}

/** DynamoDB: "Transaction request cannot include multiple operations on one item". */
function onOneItem(writes: readonly UserWrite[]): TerminalError | undefined {
  const items = new Set<string>()
  for (const { TableName, Key } of writes) {
    const item = `${TableName} ${canonical(toUserItem(toAttributeMap(Key)))}`
    if (items.has(item)) {
      return new TerminalError(
        `Two writes of one transaction are on the same item of table ${TableName}. Nothing was written. Make one write of them.`,
      )
    }
    items.add(item)
  }
  return undefined
}

/** The check of the claim counts as one more action. */
function tooMany(writes: readonly (UserWrite | RawWrite)[]): TerminalError | undefined {
  const bytes = writes.reduce((sum, write) => sum + itemBytes(valuesOf(actionOf(write))), 0)
  const wrong =
    writes.length >= DYNAMODB.transactionItems
      ? `${writes.length} writes, and DynamoDB takes ${DYNAMODB.transactionItems - 1} beside the claim`
      : `${bytes} bytes, and DynamoDB takes ${DYNAMODB.transactionBytes} (4 MB)`
  if (writes.length < DYNAMODB.transactionItems && bytes <= DYNAMODB.transactionBytes)
    return undefined
  return new TerminalError(`One transaction has ${wrong}. Nothing was written.`)
}

function valuesOf({ Item, ExpressionAttributeValues }: WireAction): WireItem {
  return { ...Item, ...ExpressionAttributeValues }
}

function validateRaw(write: RawWrite, table: TableKeys | undefined): TerminalError | undefined {
  return invalidWrite(wrongAction(actionOf(write), table), tableOf(write))
}

function validateUserWrite(
  write: UserWrite,
  table: TableKeys | undefined,
): TerminalError | undefined {
  const { TableName } = write
  return (
    validateUserKey(write, table) ??
    orTerminalError(() => invalidWrite(wrongWrite(write, table), TableName))
  )
}

export function validateUserKey(
  { TableName, Key }: UserKey,
  table?: TableKeys,
): TerminalError | undefined {
  const isName = typeof TableName === 'string' && /^[\w.:/-]{1,1024}$/.test(TableName)
  if (!isName) return noTarget('TableName', 'the name or ARN of a table', TableName)
  if (!isMap(Key)) return noTarget('Key', 'a plain object with the key of an item', Key)
  return orTerminalError(() =>
    invalidWrite(wrongAction({ Key: toAttributeMap(Key, TableName) }, table), TableName),
  )
}

function noTarget(option: string, expected: string, given: unknown): TerminalError {
  return new TerminalError(
    `${option}: expected ${expected}, got ${kindOf(given)}. Nothing was read or written.`,
  )
}

/** Checks the values first, so that errors name their attributes: in the request they have placeholders. */
function wrongWrite(write: UserWrite, table: TableKeys | undefined): string | undefined {
  const { TableName, where } = write
  return (
    wrongValues(write, table) ??
    wrongConditions(where, TableName) ??
    wrongAction(actionOf(write), table)
  )
}

function actionOf(
  write: UserWrite | RawWrite,
): WireAction & { readonly TableName?: string | undefined } {
  const { Put, Update, Delete, ConditionCheck } = userAction(write)
  return Put ?? Update ?? Delete ?? ConditionCheck ?? {}
}

/** After an update, an item is at least as large as what the update sets. */
function wrongValues(write: UserWrite, table: TableKeys | undefined): string | undefined {
  const set = 'set' in write ? write.set : undefined
  const item = { ...('put' in write ? write.put : set), ...write.Key }
  const attributes = toAttributeMap(item, write.TableName)
  return (
    (table && wrongIndexKeys(table, attributes)) ??
    wrongItem(attributes) ??
    firstWrong(Object.entries({ ...set, ...('add' in write ? write.add : {}) }), ([name, value]) =>
      wrongNamed(name, value, write.TableName),
    )
  )
}

function wrongConditions(conditions: readonly UserCondition[], table: string): string | undefined {
  return firstWrong(conditions, (condition) => {
    if ('all' in condition) return wrongConditions(condition.all, table)
    if ('any' in condition) return wrongConditions(condition.any, table)
    if (!('field' in condition)) return undefined
    const value = 'contains' in condition ? condition.contains : condition.value
    return wrongNamed(condition.field, value, table)
  })
}

/** An empty set is left out of an item, and cannot be set or compared. */
function wrongNamed(name: string, value: UserItem[string], table: string): string | undefined {
  return wrongValue(toAttribute(value, name, table), name)
}

function firstWrong<T>(
  all: readonly T[],
  wrong: (one: T) => string | undefined,
): string | undefined {
  for (const one of all) {
    const found = wrong(one)
    if (found !== undefined) return found
  }
  return undefined
}
